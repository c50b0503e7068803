"""Masking: secrets are replaced by placeholders before a text is written anywhere."""
