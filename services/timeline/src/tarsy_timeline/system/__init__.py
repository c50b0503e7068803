"""State of the system around the log: MCP servers, workers, held sessions, prices, and their warnings."""
