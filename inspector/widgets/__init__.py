"""Widgets: one a file; messages nested in the widget that sends them; no widget opens a file."""
