"""Soak test: a whole TARSy under load while everything around it fails, and a verdict at the end."""
