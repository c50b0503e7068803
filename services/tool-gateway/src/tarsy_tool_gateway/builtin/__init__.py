"""Built-in tools of the gateway: `read_result`, `fetch_runbook` and those of memory."""
