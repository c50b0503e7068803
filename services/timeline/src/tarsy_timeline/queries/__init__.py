"""Queries of sessions and usage, and the answers that their rows become."""
