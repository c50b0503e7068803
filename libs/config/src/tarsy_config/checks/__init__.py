"""Checks across the parts of a configuration, and those that only some services make."""
