"""Servers and tools that an agent cannot use. Pure."""

from collections.abc import Sequence
from string import Template

from tarsy_contracts.messages.inputs import UnavailableServer
from tarsy_contracts.withheld_tools import WithheldTools, name_tools
from tarsy_session.text import fence, to_one_line

NAME_LIMIT = 100
REASON_LIMIT = 300
MOST_NAMED = 20

UNAVAILABLE = Template("""\
## Not available

These tool servers could not be used when you began. Say where their data would have been needed, and why it is missing.

$servers""")


WITHHELD = Template("""\
## Withheld

The rules of the operators keep these tools from you, so that you see nothing of their servers. Name that in your
analysis as a limit of your evidence, and be no surer than it lets you be.

$servers""")

MISSING = Template("""\
## Not offered

No tool of yours has one of these names, which stand in the instructions above: $names. Where a tool is meant, do not
call it, and say what you could not do without it.""")


def compose_missing(names: Sequence[str]) -> str:
    """Names of the operator's instructions."""
    return MISSING.substitute(names=", ".join(names))


def compose_withheld(withheld: Sequence[WithheldTools]) -> str:
    """Empty where the agent has tools of each server that could be used. The names come from the servers."""
    lines = [
        f"{to_one_line(one.server, NAME_LIMIT)}: {_name_withheld_tools(one)}"
        for one in withheld
        if not one.offered and not one.unavailable
    ]
    return WITHHELD.substitute(servers=fence("SERVERS", "\n".join(lines[:MOST_NAMED]))) if lines else ""


def compose_unavailable(servers: Sequence[UnavailableServer]) -> str:
    """The reasons come from outside: a server's own words may stand in them."""
    lines = [_server_line(one) for one in servers[:MOST_NAMED]]
    if len(servers) > MOST_NAMED:
        lines.append(f"and {len(servers) - MOST_NAMED} more")
    return UNAVAILABLE.substitute(servers=fence("SERVERS", "\n".join(lines)))


def _name_withheld_tools(one: WithheldTools) -> str:
    names = [to_one_line(name, NAME_LIMIT) for name in (*one.denied, *one.unknown)]
    return name_tools(names, max(one.denied_count, len(names))) if names else "it lists no tools"


def _server_line(one: UnavailableServer) -> str:
    return f"{to_one_line(one.server, NAME_LIMIT)}: {to_one_line(one.reason, REASON_LIMIT)}"
