"""Chaos test (`tarsy lab chaos`): kills processes while they investigate, and verifies the log."""
