"""Projection of the session log into the tables, and public events from the same records."""
