"""Regexes as trees: what a match begins with, and what several have in common."""
