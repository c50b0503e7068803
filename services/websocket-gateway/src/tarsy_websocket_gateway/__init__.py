"""Streams sessions to people, live."""
