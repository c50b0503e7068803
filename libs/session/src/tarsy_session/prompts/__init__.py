"""Prompts: the messages that agents begin with, and the notes they get on the way. Pure."""
