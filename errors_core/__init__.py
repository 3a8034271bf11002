"""Read what a dead distributed job left, find the root cause, and record failures: the public names."""
