"""Reading in results of tool calls: their pieces, ranges of lines, searches, spans of time."""
