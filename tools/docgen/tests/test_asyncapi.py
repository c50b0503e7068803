"""The AsyncAPI document: what the official schema says of it, and that it says what the code does."""

import copy
import json
from typing import Any

import pytest
from jsonschema import Draft7Validator, Draft202012Validator  # type: ignore[import-untyped]  # it has no types of its own

from tarsy_contracts.api.websocket import SERVER_MESSAGES, Pong, ServerMessage, StageStatusChanged, StreamedText
from tarsy_contracts.wire.topics import Topics
from tarsy_docgen.asyncapi import asyncapi_document
from tarsy_docgen.channels import CHANNELS
from tarsy_docgen.messages import PUBLIC_HEADERS_SCHEMA, all_schemas, public_schemas
from tarsy_docgen.public_asyncapi import public_asyncapi_document
from tarsy_testing.official_schemas import ASYNCAPI, official

TIME = "2026-11-22T10:00:00.000Z"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(asyncapi_document())
    return found


def test_it_is_an_asyncapi_3_document_by_the_official_schema(document: dict[str, Any]) -> None:
    validator = Draft7Validator(official(ASYNCAPI))
    assert [f"{problem.json_path}: {problem.message[:200]}" for problem in validator.iter_errors(document)] == []
    wrong = copy.deepcopy(document)
    wrong["channels"]["inbox"]["partitions"] = 12
    assert not validator.is_valid(wrong), "the official schema would let anything through"


def test_every_topic_is_a_channel_with_its_partitions_and_retention(document: dict[str, Any]) -> None:
    on_kafka = [one for one in document["channels"].values() if one["servers"] == [{"$ref": "#/servers/kafka"}]]
    channels = {channel["address"]: channel["bindings"]["kafka"] for channel in on_kafka}
    assert [name for name, one in document["channels"].items() if one not in on_kafka] == ["websocket"]
    assert channels.keys() == {topic.name for topic in Topics().all()}
    for topic in Topics().all():
        assert channels[topic.name]["partitions"] == topic.partitions
        assert channels[topic.name]["topicConfiguration"]["retention.ms"] == topic.retention_ms


def test_every_schema_is_the_payload_of_one_message_on_one_topic() -> None:
    placed = [sent.schema for channel in CHANNELS for sent in channel.messages if sent.schema is not None]
    headers = {PUBLIC_HEADERS_SCHEMA, *(name for name in all_schemas() if name.startswith("headers/"))}
    assert sorted(placed) == sorted(all_schemas().keys() - headers)


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    files = {f"./{name}.json" for name in all_schemas()}
    references = set(references_in(document))
    assert references >= {"./events/session.started.2.json", "#/channels/sessions", "./headers/event.1.json"}
    for reference in references:
        if reference.startswith("#/"):
            place = document
            for part in reference[2:].split("/"):
                place = place[part]
        else:
            assert reference in files


def test_the_public_document_has_the_public_topic_alone_and_is_valid_too() -> None:
    found = json.loads(public_asyncapi_document())
    validator = Draft7Validator(official(ASYNCAPI))
    assert [f"{problem.json_path}: {problem.message[:200]}" for problem in validator.iter_errors(found)] == []
    assert [channel["address"] for channel in found["channels"].values()] == [Topics().events]
    files = {f"./{name}.json" for name in public_schemas()}
    references = {reference for reference in references_in(found) if not reference.startswith("#/")}
    assert references == files
    assert found["components"]["messages"].keys() == found["channels"]["events"]["messages"].keys()


def test_only_the_orchestrator_writes_the_log(document: dict[str, Any]) -> None:
    operations, log = document["operations"], document["channels"]["sessions"]
    writers = {name for name, operation in operations.items() if operation["action"] == "send"}
    assert {name for name in writers if name.endswith(".sessions")} == {"orchestrator.send.sessions"}
    assert len(operations["orchestrator.send.sessions"]["messages"]) == len(log["messages"])
    (read,) = operations["summarizer.receive.sessions"]["messages"]
    assert read == {"$ref": "#/channels/sessions/messages/tool_call.completed"}


def test_every_message_of_the_websocket_has_a_schema_that_takes_it_as_it_is_sent(document: dict[str, Any]) -> None:
    schemas, messages = document["components"]["schemas"], document["components"]["messages"]
    assert set(document["channels"]["websocket"]["messages"]) == {"client.action", *SERVER_MESSAGES}
    sent: list[ServerMessage] = [
        StreamedText(
            type="stream.chunk", event_id="e", session_id="s", delta="a", run=1, index=0, timestamp=TIME, number=None
        ),
        StageStatusChanged(
            type="stage.status", stage_id="st", stage_name="look", stage_index=1, status="started", error_message=None,
            session_id="s", timestamp=TIME, number=2,
        ),
        Pong(type="pong"),
    ]  # fmt: skip
    for message in sent:
        name = messages[message.type]["payload"]["$ref"].rpartition("/")[2]
        whole = {"$ref": f"#/components/schemas/{name}", "components": {"schemas": schemas}}
        body = json.loads(message.to_text())
        assert Draft202012Validator(whole).is_valid(body)
        assert not Draft202012Validator(whole).is_valid({**body, "type": "other"})


def references_in(value: Any) -> list[str]:
    match value:
        case dict():
            own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
            return own + [found for part in value.values() for found in references_in(part)]
        case list():
            return [found for part in value for found in references_in(part)]
        case _:
            return []
