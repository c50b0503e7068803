"""Logins of people at MCP servers: kept encrypted on a topic, renewed by one gateway at a time (decision 0041)."""
