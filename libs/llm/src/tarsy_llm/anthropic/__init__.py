"""Anthropic's Claude, and servers that speak its messages."""
