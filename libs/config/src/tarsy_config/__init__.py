"""tarsy.yaml: agents, chains, MCP servers, LLM providers; checked whole, resolved once."""
