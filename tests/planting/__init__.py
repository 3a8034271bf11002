"""A planter of dead jobs: runs real torchrun with planted faults and writes what is left, with the right answers."""
