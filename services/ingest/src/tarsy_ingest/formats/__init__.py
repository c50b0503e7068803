"""Formats of alerts: how each is recognised, and how it is read."""
