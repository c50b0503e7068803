"""Tool gateway: a worker that runs tools of MCP servers, on grants, and masks their results."""
