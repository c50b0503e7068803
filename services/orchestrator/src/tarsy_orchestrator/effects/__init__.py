"""Effects: what acts on what was read back from the log. LLM calls, requests in queues, control, traces."""
