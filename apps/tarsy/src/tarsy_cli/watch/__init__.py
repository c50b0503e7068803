"""Watching a session on a terminal, as it happens."""
