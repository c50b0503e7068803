"""Conversations with models: what an execution asks, and how it stays short enough. Pure."""
