"""Readers of partitions without a group, and of the topics that several services follow."""
