"""The search for many patterns in one pass over a text."""
