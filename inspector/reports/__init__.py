"""Job and verdict as lines of text, Markdown or JSON."""
