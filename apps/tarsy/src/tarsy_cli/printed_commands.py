"""Commands that are printed for people: they reach the TARSy of the same home."""

import os
import re
import shlex
from pathlib import Path

from tarsy_cli.options import DEFAULT_HOME

COMMAND = re.compile(r"`tarsy (?!config |topics acls|topics show)([^`]+)`")
"""Those that know a home. The others ask nobody."""


def with_home(text: str, home: Path) -> str:
    """The text, whose commands name the home where it is not the usual one."""
    if home in (DEFAULT_HOME, Path(os.environ.get("TARSY_HOME") or DEFAULT_HOME)):
        return text
    return COMMAND.sub(lambda found: f"`tarsy {found[1]} --home {shlex.quote(str(home))}`", text)
