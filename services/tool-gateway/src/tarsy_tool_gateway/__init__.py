"""Runs tools of MCP servers, on grants, masked."""
