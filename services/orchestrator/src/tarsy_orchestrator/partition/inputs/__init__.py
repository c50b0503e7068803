"""Inputs of a partition: the inbox, from membership in its group to commits."""
