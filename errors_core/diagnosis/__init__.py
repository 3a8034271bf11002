"""The diagnosis: reads a Job, opens no file, returns a Verdict whose every sentence points at its evidence."""
