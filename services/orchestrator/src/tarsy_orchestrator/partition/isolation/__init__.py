"""Isolation of faults: a session is set aside, an input dead-lettered, and nobody else waits."""
