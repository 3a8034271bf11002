"""The training job that breaks: run by torchrun, never by the tests. It alone imports torch."""
