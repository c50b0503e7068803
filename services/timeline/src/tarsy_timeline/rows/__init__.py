"""Rows of the tables: their types, and what projection and queries both read from them."""
