"""Return path: where a browser goes after a login or logout. It is one of ours, whatever the address asked for."""

import re

HOME = "/"
LONGEST = 1_000
FORM = re.compile(r"/(?!/)[!-\[\]-~]*")
"""ASCII without a backslash, which browsers take for a slash, and without what they leave out (tab, line feed)."""
LOGIN = re.compile(r"/login(?![^/?#])")
"""It would begin a login again after each one."""


def return_path(wanted: str) -> str:
    """HOME for another host, and for what is no path."""
    if len(wanted) > LONGEST or not FORM.fullmatch(wanted) or LOGIN.match(wanted):
        return HOME
    return wanted
