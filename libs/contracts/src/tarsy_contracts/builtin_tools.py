"""The tools of the tool gateway itself, called through the queue like those of MCP servers. They are in no catalog."""

OWN_SERVER = "tarsy"
"""No MCP server may have this name."""
FETCH_RUNBOOK = "fetch_runbook"
"""Arguments: `url`. The answer is the text of the runbook."""
READ_RESULT = "read_result"
"""Reads on in a result that was cut or summarised. The one own tool that agents are offered."""
