"""How often the verdict is right: labelled dead jobs in, one table out (`python -m tests.evaluation`)."""
