"""Record of a session: what models and MCP servers were given and answered, made again from the log."""
