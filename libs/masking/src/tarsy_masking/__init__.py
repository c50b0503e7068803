"""Secrets out of text, before it is written anywhere."""
