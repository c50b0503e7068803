"""Prompt of a summary: the excerpt of a long result, and the words around it. Pure."""
