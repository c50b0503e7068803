"""Messages of MCP servers, as bytes, before the SDK sees them."""
