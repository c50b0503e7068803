"""Servers of the outside world for tests: real programs, or stand-ins that speak the real protocol."""
