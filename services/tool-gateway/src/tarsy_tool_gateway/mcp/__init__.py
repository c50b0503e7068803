"""MCP servers: connections and sessions with them, and calls of their tools."""
