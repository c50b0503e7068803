"""Shortens large results."""
