"""`alert_doors`: JSON pointers into what a sender writes, checked with file and line."""

from pathlib import Path

import pytest

from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config

REST = """\
agents: {A: {}}
agent_chains: {k: {alert_types: [kubernetes, network], stages: [{name: a, agents: [{name: A}]}]}}
llm_providers: {s: {type: scripted, script: s.yaml}}
defaults: {llm_provider: s}
alert_doors:
"""


def written(folder: Path, doors: str) -> Path:
    (folder / "s.yaml").write_text("[]", "utf-8")
    (folder / "tarsy.yaml").write_text(REST + doors, "utf-8")
    return folder


def test_a_door_says_where_its_sender_has_what(tmp_path: Path) -> None:
    doors = "  c: {name: /a~1b, identity: [/host, /id], resolved_when: {/state: [OK, 0, true]}, alert_type: network}\n"
    door = load_config(written(tmp_path, doors), {}).alert_doors["c"]
    assert (door.name, door.identity, door.alert_type) == (("/a~1b",), ("/host", "/id"), "network")
    assert door.resolved_when == {"/state": ("ok", "0", "true")}


@pytest.mark.parametrize(
    ("door", "told"),
    [
        ("  a/b: {}", "tarsy.yaml:6: alert_doors.a/b: cannot name a door"),
        ("  a: {name: title}", "alert_doors.a.name[0]: is not a JSON pointer"),
        ("  a: {resolved_when: {state: [ok]}}", "is not a JSON pointer"),
        ("  a: {alert_type: netwrok}", "no chain names the alert type netwrok; did you mean network?"),
        ("  a: {title: /t}", "unknown key"),
    ],
)
def test_mistakes_are_told_with_their_lines(tmp_path: Path, door: str, told: str) -> None:
    with pytest.raises(InvalidConfigError) as caught:
        load_config(written(tmp_path, door), {})
    assert told in str(caught.value)
