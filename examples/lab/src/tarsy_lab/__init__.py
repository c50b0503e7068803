"""An MCP server that serves the evidence of recorded incidents."""
