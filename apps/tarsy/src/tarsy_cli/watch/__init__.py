"""Sessions on a terminal, as they happen."""
