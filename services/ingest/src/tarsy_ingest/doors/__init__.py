"""Doors for alerts over HTTP, and what they are answered."""
