"""Summarizer: a worker that asks models to shorten large results."""
