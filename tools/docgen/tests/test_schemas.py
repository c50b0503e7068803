"""`make schemas`: what lies in the repository is what the code says, and never breaks who relies on it."""

import json
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no types of its own
from pydantic import create_model
from typer.testing import CliRunner, Result

from tarsy_contracts.events import EVENTS, ToolCallStarted
from tarsy_contracts.events.recorded import decode
from tarsy_contracts.public.events import PUBLIC_EVENTS
from tarsy_contracts.public.model import PublicEvent
from tarsy_contracts.public.session_events import PublicSessionFailed
from tarsy_contracts.wire.envelope import Envelope
from tarsy_contracts.wire.message import Message, Value
from tarsy_docgen import documents
from tarsy_docgen.command import cli
from tarsy_docgen.documents import DOCUMENTS, LOCK, PUBLIC_LOCK
from tarsy_docgen.messages import MESSAGES, as_file, json_schemas

STARTED = "events/tool_call.started.1"
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module", autouse=True)
def documents_made_once() -> Iterator[None]:
    """These tests are about schemas and their locks. All other documents take seconds each time that they are made."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documents, "DOCUMENTS", {name: cache(document) for name, document in DOCUMENTS.items()})
        yield


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("generated")
    assert schemas(root).exit_code == 0
    return root


@pytest.fixture
def root(written: Path, tmp_path: Path) -> Path:
    """A repository as `make schemas` left it."""
    return Path(shutil.copytree(written, tmp_path / "root"))


def schemas(root: Path, *arguments: str) -> Result:
    return CliRunner().invoke(cli, ["--root", str(root), *arguments])


def files(root: Path) -> dict[str, str]:
    return {file.relative_to(root).as_posix(): file.read_text("utf-8") for file in root.rglob("*") if file.is_file()}


def changed(version: int = 1, without: str = "", **fields: Any) -> type[Message]:
    """`tool_call.started` with other fields: what a contributor might make of it."""
    kept = {name: (str, ...) for name in ToolCallStarted.model_fields if name != without}
    made = create_model("ToolCallStarted", __base__=Message, __doc__=ToolCallStarted.__doc__, **(kept | fields))
    made.type, made.version = ToolCallStarted.type, version
    return made


def test_what_was_written_is_not_drift_and_writing_again_changes_nothing(root: Path) -> None:
    assert schemas(root, "--check").exit_code == 0
    before = files(root)
    assert schemas(root).exit_code == 0
    assert files(root) == before


def test_every_message_has_a_schema_that_names_it_as_its_records_do_and_says_what_it_is(root: Path) -> None:
    for kind, messages in MESSAGES.items():
        for message in messages.values():
            schema = json.loads((root / f"schemas/{kind}/{message.type}.{message.version}.json").read_text("utf-8"))
            assert schema["$id"] == message.dataschema()
            assert len(schema["description"]) > 20, message.type
            Draft202012Validator.check_schema(schema)


def test_every_file_that_is_missing_or_was_changed_is_found_and_written_again(root: Path) -> None:
    names = [f"schemas/{STARTED}.json", LOCK, PUBLIC_LOCK, *DOCUMENTS]
    texts = {name: (root / name).read_text("utf-8") for name in names}
    for name, text in texts.items():
        (root / name).write_text(text + "\n", "utf-8")
    schema = root / names[0]
    schema.write_text(texts[names[0]].replace('"title": "ToolCallStarted"', '"title": "X"'), "utf-8")
    answer = schemas(root, "--check")
    output = answer.output.replace("\n", " ")
    assert (answer.exit_code, [name for name in names if f"{name}: changed" not in output]) == (1, [])
    for name in names:
        (root / name).unlink()
    output = schemas(root, "--check").output.replace("\n", " ")
    assert [name for name in names if f"{name}: not generated" not in output] == []
    assert schemas(root).exit_code == 0
    assert {name: (root / name).read_text("utf-8") for name in names} == texts


def test_a_schema_that_nothing_has_any_longer_is_found_and_removed(root: Path) -> None:
    old = root / "schemas/events/session.forgotten.1.json"
    old.write_text("{}", "utf-8")
    assert "session.forgotten.1.json: nothing has this name any longer" in schemas(root, "--check").output
    assert schemas(root).exit_code == 0
    assert not old.exists()


BREAKS = [
    ({"without": "claim_id"}, "/claim_id is gone"),
    ({"worker_id": (int, ...)}, "/worker_id was string and is integer now"),
    ({"worker_id": (Literal["a"], ...)}, "/worker_id takes only some values now"),
    ({"worker_id": (str, "")}, "/worker_id is optional now"),
    ({"zone": (str, ...)}, "/zone is new and required"),
]


@pytest.mark.parametrize(("change", "says"), BREAKS, ids=lambda value: value if isinstance(value, str) else "")
def test_a_contract_that_breaks_readers_is_refused_and_nothing_is_written(
    root: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], says: str
) -> None:
    monkeypatch.setitem(EVENTS, ToolCallStarted.type, changed(**change))
    before = files(root)
    for arguments in ([], ["--check"]):
        answer = schemas(root, *arguments)
        assert answer.exit_code == 1
        output = " ".join(answer.output.split())
        assert f"{STARTED}: {says}" in output
        assert "Give the message a new version, and write an upcaster" in output
    assert files(root) == before


def changed_public(**fields: Any) -> type[PublicEvent]:
    made = create_model("PublicSessionFailed", __base__=PublicEvent, __doc__=PublicSessionFailed.__doc__, **fields)
    made.type = PublicSessionFailed.type
    return made


@pytest.mark.parametrize(
    ("change", "says"),
    [({}, "/error is gone"), ({"error": (str, ...), "code": (int, ...)}, "/code is new and required")],
)
def test_a_public_contract_has_a_gate_of_its_own(
    root: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any], says: str
) -> None:
    monkeypatch.setitem(PUBLIC_EVENTS, PublicSessionFailed.type, changed_public(**change))
    before = files(root)
    answer = schemas(root)
    output = " ".join(answer.output.split())
    assert answer.exit_code == 1
    assert f"public/tarsy.session.failed.1: {says}" in output
    assert "Programs of other teams read what this version describes" in output
    assert files(root) == before


def test_a_public_event_that_is_gone_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(PUBLIC_EVENTS, PublicSessionFailed.type)
    assert "public/tarsy.session.failed.1: no message has this name any longer" in " ".join(
        schemas(root).output.split()
    )


def test_a_contract_that_grows_is_taken_in_and_holds_from_then_on(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(EVENTS, ToolCallStarted.type, changed(zone=(str, "")))
        assert "tool_call.started.1.json: changed" in schemas(root, "--check").output
        assert schemas(root).exit_code == 0
        assert schemas(root, "--check").exit_code == 0
    assert f"{STARTED}: /zone is gone" in " ".join(schemas(root).output.split())


def test_a_type_that_is_removed_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(EVENTS, ToolCallStarted.type)
    answer = schemas(root)
    assert answer.exit_code == 1
    assert f"{STARTED}: no message has this name any longer" in answer.output


def test_a_new_version_without_an_upcaster_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EVENTS, ToolCallStarted.type, changed(version=2, without="claim_id"))
    answer = schemas(root)
    assert answer.exit_code == 1
    assert f"{STARTED}: the code writes version 2, and no upcaster" in " ".join(answer.output.split())


def test_the_schema_of_a_version_that_was_left_behind_stays_as_it_was(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, schema = "events/old.thing.1", {"$id": "urn:tarsy:old.thing:1", "type": "object", "required": ["a"]}
    monkeypatch.setattr(documents, "UPCAST", frozenset({name}))
    lock = json.loads((root / LOCK).read_text("utf-8"))
    (root / LOCK).write_text(as_file(lock | {name: {"type": "object", "required": ["a"]}}), "utf-8")
    file = root / f"schemas/{name}.json"
    file.write_text(as_file(schema), "utf-8")
    assert schemas(root).exit_code == 0
    assert file.read_text("utf-8") == as_file(schema)
    assert schemas(root, "--check").exit_code == 0
    file.write_text(as_file(schema | {"required": []}), "utf-8")
    assert "old.thing.1.json: is not what was released" in " ".join(schemas(root, "--check").output.split())
    file.unlink()
    assert schemas(root, "--check").exit_code == 1


def test_the_lock_of_the_repository_holds_every_schema() -> None:
    """A lock that was thrown away and made anew would let a break through; one that lacks a message, too."""
    assert json.loads((ROOT / LOCK).read_text("utf-8")).keys() >= json_schemas().keys()


def values_in(kind: type[Value]) -> Iterator[type[Value]]:
    yield kind
    for other in Value.__subclasses__():
        if not issubclass(other, Message):
            yield other


def test_old_readers_skip_fields_that_they_do_not_know_at_any_depth() -> None:
    """What the rule stands on: a new optional field breaks nobody."""
    kinds = {kind for messages in MESSAGES.values() for message in messages.values() for kind in values_in(message)}
    assert {kind.model_config.get("extra") for kind in kinds} == {"ignore"}
    envelope = Envelope.from_headers([(name, value.encode()) for name, value in HEADERS.items()])
    value = json.dumps(
        {
            "call_id": "c",
            "outcome": "ok",
            "content": "fine",
            "stored": {"partition": 0, "pieces": [{"offset": 1, "size": 2, "new": 1}], "size": 2, "lines": 1, "new": 1},
            "new": {"anything": True},
        }
    )
    event = decode(EVENTS, envelope, value.encode())
    assert event.model_dump(exclude_defaults=True) == {
        "call_id": "c",
        "outcome": "ok",
        "content": "fine",
        "stored": {"partition": 0, "pieces": ({"offset": 1, "size": 2},), "size": 2, "lines": 1},
    }
    Draft202012Validator(json_schemas()["events/tool_call.completed.1"]).validate(json.loads(value))


HEADERS = {
    "ce_specversion": "1.0",
    "ce_id": "0" * 32,
    "ce_type": "tool_call.completed",
    "ce_source": "test",
    "ce_subject": "session",
    "ce_time": "2026-11-22T03:00:00.000Z",
    "ce_dataschema": "urn:tarsy:tool_call.completed:1",
}
