"""Servers that an agent cannot use, and why. Pure."""

from collections.abc import Sequence
from string import Template

from tarsy_contracts.inputs import UnavailableServer
from tarsy_orchestrator.session.text import fence, to_one_line

NAME_LIMIT = 100
REASON_LIMIT = 300
MOST_NAMED = 20

UNAVAILABLE = Template("""\
## Not available

These tool servers could not be used when you began. Say where their data would have been needed, and why it is missing.

$servers""")


def compose_unavailable(servers: Sequence[UnavailableServer]) -> str:
    """The reasons come from outside: a server's own words may stand in them."""
    lines = [_line(one) for one in servers[:MOST_NAMED]]
    if len(servers) > MOST_NAMED:
        lines.append(f"and {len(servers) - MOST_NAMED} more")
    return UNAVAILABLE.substitute(servers=fence("SERVERS", "\n".join(lines)))


def _line(one: UnavailableServer) -> str:
    return f"{to_one_line(one.server, NAME_LIMIT)}: {to_one_line(one.reason, REASON_LIMIT)}"
