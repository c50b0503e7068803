"""Invariants of a session log: what must hold of an investigation that has ended, whatever was killed meanwhile."""
