"""The schemas that lie in the repository are what the code says."""

import json
from pathlib import Path

import pytest

from tarsy_cli.schemas import MESSAGES, check_schemas, write_schemas


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_schemas(tmp_path)
    return tmp_path


def test_what_was_written_is_not_drift(folder: Path) -> None:
    assert check_schemas(folder) == []
    assert len(list(folder.glob("*/*.json"))) == sum(len(messages) for messages in MESSAGES.values())


def test_each_schema_names_itself_as_its_messages_do(folder: Path) -> None:
    schema = json.loads((folder / "events" / "session.started.1.json").read_text("utf-8"))
    assert schema["$id"] == "urn:tarsy:session.started:1"


def test_a_schema_that_is_missing_is_found(folder: Path) -> None:
    (folder / "events" / "session.started.1.json").unlink()
    assert check_schemas(folder) == ["events/session.started.1.json: not generated"]


def test_a_schema_that_was_changed_is_found(folder: Path) -> None:
    file = folder / "events" / "session.started.1.json"
    file.write_text(file.read_text("utf-8").replace('"type": "object"', '"type": "array"'), "utf-8")
    assert check_schemas(folder) == ["events/session.started.1.json: changed"]


def test_a_schema_that_nothing_has_any_longer_is_found_and_removed(folder: Path) -> None:
    old = folder / "events" / "session.forgotten.1.json"
    old.write_text("{}", "utf-8")
    assert check_schemas(folder) == ["events/session.forgotten.1.json: nothing has this name any longer"]
    write_schemas(folder)
    assert not old.exists()
    assert check_schemas(folder) == []
