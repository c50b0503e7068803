"""Transports of the Model Context Protocol: stdio, streamable HTTP, HTTP with server-sent events."""
