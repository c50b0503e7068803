"""The cookbook of MCP servers, and adding one of them to a configuration."""
