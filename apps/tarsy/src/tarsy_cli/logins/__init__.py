"""`tarsy servers login`: a person's consent for an MCP server."""
