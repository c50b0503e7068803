"""The tools that the gateway has itself: `read_result` and `fetch_runbook`."""
