"""Executions: how a sub-agent begins, what bounds it, how any execution ends, and what its parent reads. Pure."""
