"""Secrets of several lines that no regex bounds."""
