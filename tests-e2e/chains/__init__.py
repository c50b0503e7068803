"""Whole chains on real services: one system for all tests of this folder, as every start of one costs ten seconds."""
