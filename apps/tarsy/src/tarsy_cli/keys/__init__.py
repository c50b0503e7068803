"""API keys: made, and checked in their file."""
