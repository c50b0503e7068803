"""Decisions on each kind of input: pure."""
