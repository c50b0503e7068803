"""Timestamps in texts of others: the stamp of a line of a log, and the times that a sentence names. Pure."""
