"""The changelog says in a few lines what changes for users: the design stands in decisions, the proof in tests."""

import re
from pathlib import Path

CHANGELOG = (Path(__file__).resolve().parent.parent / "CHANGELOG.md").read_text("utf-8")
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Upgrading"]
MOST_LINES = 6
LONGEST_LINE = 170
VERSION = re.compile(r"\[(\d+)\.(\d+)\.(\d+)\] - \d{4}-\d{2}-\d{2}")


def releases() -> list[tuple[str, str]]:
    """The heading and the text of each."""
    _, *parts = re.split(r"^## (.+)$", CHANGELOG, flags=re.MULTILINE)
    return list(zip(parts[::2], parts[1::2], strict=True))


def entries(text: str) -> list[str]:
    return re.findall(r"^- .*(?:\n(?![-#]).+)*", text, re.MULTILINE)


def test_what_is_not_released_comes_first_and_versions_follow_the_newest_first() -> None:
    first, *released = [heading for heading, _ in releases()]
    assert first == "[Unreleased]"
    versions = [tuple(map(int, found.groups())) for heading in released if (found := VERSION.fullmatch(heading))]
    assert len(versions) == len(released) > 0
    assert versions == sorted(set(versions), reverse=True)


def test_each_release_has_the_kinds_of_changes_once_and_in_their_order() -> None:
    for heading, text in releases():
        kinds = re.findall(r"^### (.+)$", text, re.MULTILINE)
        assert kinds == [kind for kind in KINDS if kind in kinds], heading


def test_an_entry_has_one_to_six_lines() -> None:
    found = entries(CHANGELOG)
    assert len(found) > 100
    assert [entry for entry in found if len(entry.splitlines()) > MOST_LINES] == []
    assert [line for line in CHANGELOG.splitlines() if len(line) > LONGEST_LINE] == []
