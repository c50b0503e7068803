"""TARSy as an MCP server: tools by which agents of others submit alerts, find and read sessions, and ask them."""
