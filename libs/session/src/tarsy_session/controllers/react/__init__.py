"""ReAct: tool calls in plain text, for models that know no function calling. Pure."""
