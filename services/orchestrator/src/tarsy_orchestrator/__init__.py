"""Decides: the only writer of the session log."""
