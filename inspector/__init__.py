"""Everything a person sees: the command, the app and the reports."""
