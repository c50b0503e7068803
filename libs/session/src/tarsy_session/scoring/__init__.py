"""Scores of investigations: what the record knows by itself, what the judge is asked, and how its answer is read."""
