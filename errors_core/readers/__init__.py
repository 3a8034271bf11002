"""Readers: each turns one kind of leftover into sightings; none decides anything."""
