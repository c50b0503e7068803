"""Notifier: tells people and systems of investigations."""
