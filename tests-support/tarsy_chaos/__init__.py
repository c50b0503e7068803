"""Chaos test (`make chaos`): kills processes while they investigate, and verifies the log."""
