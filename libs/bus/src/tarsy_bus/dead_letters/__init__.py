"""Dead letters: buried, read, listed, and re-driven."""
