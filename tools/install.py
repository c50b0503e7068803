"""Puts the `tarsy` of this checkout on the PATH: a link in ~/.local/bin, or in the folder that is named.

Runs on any Python 3, and uses nothing else. The link follows the checkout: `make setup` renews what it leads to.
"""

import os
import sys
from pathlib import Path

COMMAND = Path(__file__).resolve().parent.parent / ".venv" / "bin" / "tarsy"


def folder():
    named = sys.argv[1] if len(sys.argv) > 1 else ""
    return Path(named or os.environ.get("XDG_BIN_HOME") or "~/.local/bin").expanduser()


def is_ours(link):
    """A link to a checkout, this one or another, may be replaced; a program may not."""
    return link.is_symlink() and Path(os.readlink(link)).parts[-3:] == COMMAND.parts[-3:]


def is_on_path(place):
    return place.resolve() in [Path(one).resolve() for one in os.environ.get("PATH", "").split(os.pathsep) if one]


def main():
    place = folder()
    link = place / COMMAND.name
    if os.path.lexists(link) and not is_ours(link):
        sys.exit(f"{link} is there already, and is not this link: remove it, or name another folder with BIN=FOLDER.")
    place.mkdir(parents=True, exist_ok=True)
    new = link.with_name(f".tarsy-{os.getpid()}")
    new.symlink_to(COMMAND)
    new.replace(link)
    sys.stdout.write(f"{link} leads to {COMMAND}\n")
    if not is_on_path(place):
        sys.stdout.write(
            f'{place} is not on your PATH: export PATH="{place}:$PATH", also in the profile of your shell\n'
        )


if __name__ == "__main__":
    main()
