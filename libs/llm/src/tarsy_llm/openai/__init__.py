"""OpenAI, and all that speak its chat completions."""
