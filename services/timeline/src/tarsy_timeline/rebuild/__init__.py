"""Rebuild of the tables from the session log, beside the live ones, and the switch to them."""
