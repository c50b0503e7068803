"""Every record of a whole investigation, on every topic of ours, is what `schemas/` says."""

import json
from pathlib import Path
from typing import Any

import httpx2
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has no types of its own

from tarsy_bus.readers.partition_reader import Record
from tarsy_contracts.public.envelope import PublicEnvelope
from tarsy_contracts.wire.envelope import Envelope
from tarsy_docgen.channels import CHANNELS, Channel
from tarsy_docgen.messages import urn
from tarsy_testing.real_servers import eventually
from tarsy_testing.system.investigation import everything, shown, submit
from tarsy_testing.system.system import ROOT, System

SCHEMAS = ROOT / "schemas"
STRANGERS = {"alerts", "dead_letters"}
PUBLIC_HEADERS = "urn:tarsy:public:headers:1"
ALWAYS = {
    "inbox": {"alert.received", "call.claimed", "tool_call.reported", "summary.reported", "session.cancel_requested"},
    "sessions": {
        "session.started",
        "stage.started",
        "stage.tools_offered",
        "execution.started",
        "llm_call.requested",
        "llm_call.completed",
        "tool_call.requested",
        "tool_call.started",
        "tool_call.completed",
        "summary.requested",
        "summary.started",
        "summary.completed",
        "execution.completed",
        "stage.completed",
        "session.completed",
        "request.refused",
    },
    "heads": {"session.head"},
    "held": set(),
    "layout": {"cluster.layout"},
    "tool_calls": {"tool_call.request"},
    "summaries": {"summary.request"},
    "results": {"result.piece"},
    "stream": {"llm.chunk", "summary.chunk"},
    "control": {"claim.granted", "request.answered"},
    "catalog": {"server.catalogued"},
    "mcp_tokens": set(),
    "workers": {"worker.announced"},
    "audit": {"act.requested"},
    "events": {
        "tarsy.session.started",
        "tarsy.stage.started",
        "tarsy.execution.started",
        "tarsy.llm_call.completed",
        "tarsy.tool_call.requested",
        "tarsy.tool_call.started",
        "tarsy.tool_call.completed",
        "tarsy.summary.completed",
        "tarsy.execution.completed",
        "tarsy.stage.completed",
        "tarsy.session.completed",
    },
}
"""What the incident brings in any case, by topic; and a request that is refused. No session of it is set aside."""


async def test_every_record_of_an_investigation_fits_the_schemas(system: System) -> None:
    await system.start_all()
    investigation = submit(system)
    log = await investigation.until_ended()
    assert log.types[-1] == "session.completed", log.accepted[-1].event
    # What is projected was published before.
    await shown(system, investigation.session_id, log)
    cancel = f"{system.of('timeline').url}/api/v1/sessions/{investigation.session_id}/cancel"
    assert httpx2.post(cancel, timeout=90.0).status_code == 409

    channels = [channel for channel in CHANNELS if channel.topic not in STRANGERS]
    assert {channel.topic for channel in channels} == ALWAYS.keys()
    validators = all_validators()
    missing: set[tuple[str, str]] = set()

    async def all_are_checked() -> bool:
        """Heads are written behind the log, which waits for none of them."""
        seen = {(channel.topic, type) for channel in channels for type in await types_on(system, channel, validators)}
        missing.clear()
        missing.update({(topic, type) for topic, types in ALWAYS.items() for type in types} - seen)
        return not missing

    await eventually(all_are_checked, lambda: f"no such record, so nothing was checked: {sorted(missing)}")
    assert await everything(system, [system.bus.topics.dead_letters]) == []


async def types_on(system: System, channel: Channel, validators: dict[str, Draft202012Validator]) -> set[str]:
    """Of all records there, each of which is checked."""
    records = await everything(system, [channel.find_topic(system.bus.topics).name])
    # The tombstone of an older head has neither.
    return {check(one, channel, validators) for one in records if one.value is not None or one.headers}


def check(record: Record, channel: Channel, validators: dict[str, Draft202012Validator]) -> str:
    """Headers, value, topic and writer. Returns the type."""
    headers = {name: value.decode() for name, value in record.headers}
    at = f"{record.topic} {record.partition}/{record.offset}"
    assert len(headers) == len(record.headers), f"{at}: a header stands there twice"
    assert channel.headers is not None
    is_public = channel.topic == "events"
    headers_schema = PUBLIC_HEADERS if is_public else urn(channel.headers)
    fits(validators[headers_schema], headers, f"{at}, headers")
    schema = headers["ce_dataschema"]
    if is_public:
        public = PublicEnvelope.from_headers(record.headers)
        fits(validators[schema], json.loads(record.value or b""), f"{at}, {public.type}")
        assert public.source == record.topic
        return public.type
    envelope = Envelope.from_headers(record.headers)
    assert schema == f"urn:tarsy:{envelope.type}:{envelope.version}"
    if record.value is not None:
        text = record.value.decode()
        is_json = headers["content-type"] == "application/json"
        fits(validators[schema], json.loads(text) if is_json else text, f"{at}, {envelope.type}")
    (sent,) = (each for each in channel.messages if each.name == envelope.type)
    assert set(sent.by) & set(envelope.source.split("/")), f"{at}: {envelope.type} was written by {envelope.source}"
    return envelope.type


def fits(validator: Draft202012Validator, value: Any, what: str) -> None:
    problems = [f"{problem.json_path}: {problem.message[:300]}" for problem in validator.iter_errors(value)]
    assert problems == [], what


def all_validators() -> dict[str, Draft202012Validator]:
    """By `$id`: what a consumer finds in the repository."""
    found: dict[str, Draft202012Validator] = {}
    for file in sorted(SCHEMAS.glob("*/*.json")):
        schema = read(file)
        assert schema["$id"] not in found, f"{file} has the $id of another"
        found[schema["$id"]] = Draft202012Validator(schema)
    return found


def read(file: Path) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return schema
