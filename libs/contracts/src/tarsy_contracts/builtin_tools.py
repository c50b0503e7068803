"""Built-in tools. No catalog has them. The tool gateway runs those that read; the session decides the others."""

OWN_SERVER = "tarsy"
"""No MCP server may have this name."""
FETCH_RUNBOOK = "fetch_runbook"
"""Arguments: `url`. The answer is the text of the runbook."""
READ_RESULT = "read_result"
"""Reads on in a result that was cut or summarised."""
DISPATCH_AGENT = "dispatch_agent"
CANCEL_AGENT = "cancel_agent"
LIST_AGENTS = "list_agents"
DELEGATION = frozenset({DISPATCH_AGENT, CANCEL_AGENT, LIST_AGENTS})
"""Offered to agents that may send sub-agents."""
