"""A command that is printed for people names the home that the printing one looked at."""

from pathlib import Path

import pytest

from tarsy_cli.printed_commands import with_home

HOME = Path("/srv/my tarsy")
NAMED = "--home '/srv/my tarsy'"


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("Run `tarsy topics apply`.", f"Run `tarsy topics apply {NAMED}`."),
        ("`tarsy up` or `tarsy down`", f"`tarsy up {NAMED}` or `tarsy down {NAMED}`"),
        ("`tarsy status --json` has it", f"`tarsy status --json {NAMED}` has it"),
        ("`tarsy topics acls` prints it", "`tarsy topics acls` prints it"),
        ("`tarsy config show`", "`tarsy config show`"),
        ("`make demo`", "`make demo`"),
    ],
)
def test_a_command_names_the_home(text: str, printed: str) -> None:
    assert with_home(text, HOME) == printed


def test_the_usual_home_needs_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert with_home("`tarsy up`", Path(".tarsy")) == "`tarsy up`"
    monkeypatch.setenv("TARSY_HOME", str(HOME))
    assert with_home("`tarsy up`", HOME) == "`tarsy up`"
