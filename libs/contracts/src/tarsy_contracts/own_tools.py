"""The tools of the tool gateway itself. Their calls go through the queue like all others; no catalog names them."""

OWN_SERVER = "tarsy"
"""No MCP server may have this name."""
FETCH_RUNBOOK = "fetch_runbook"
"""Arguments: `url`. What it answers is the text of the runbook."""
