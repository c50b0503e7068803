"""Runbooks: fetched from the few hosts that they may come from, and never from anywhere else."""
