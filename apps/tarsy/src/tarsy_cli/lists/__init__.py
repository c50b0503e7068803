"""Lists of sessions, MCP servers and sessions set aside, for a terminal."""
