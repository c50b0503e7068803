"""Built-in tools of the gateway: `read_result` and `fetch_runbook`."""
