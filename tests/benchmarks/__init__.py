"""How fast big leftovers are read, beside the tools that everybody has: `make bench`."""
