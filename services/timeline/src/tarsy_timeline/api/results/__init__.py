"""Results of tool calls over HTTP: in lines, as a search, or as a download."""
