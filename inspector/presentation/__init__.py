"""Pure functions from model to words, columns and styled text; no Textual here."""
