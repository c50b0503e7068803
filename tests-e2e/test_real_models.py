"""With a key in the environment the demo asks a real model: here, one that only the wire is real of."""

import asyncio
import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import aclosing, suppress
from pathlib import Path

import httpx2
import pytest
from pydantic import JsonValue
from recorded_requests import read_llm_interactions, read_trace, request_of

from tarsy_config.configured_models import models_of
from tarsy_config.loading.live_config import ConfigSource
from tarsy_contracts.api.sessions import SessionDetail
from tarsy_contracts.api.trace import McpInteraction
from tarsy_lab.incidents import read_incident
from tarsy_llm.protocol import LlmCallError
from tarsy_testing.servers.provider import MODEL, Provider, provider
from tarsy_testing.story.incident import INCIDENT, planted_secrets
from tarsy_testing.system.investigation import Investigation, shown, submit
from tarsy_testing.system.questions import ask_question
from tarsy_testing.system.system import System

KEY = "key-of-the-test-0123456789"


@pytest.fixture
def served() -> Iterator[Provider]:
    with provider() as served:
        yield served


@pytest.mark.parametrize(
    ("name", "key", "address", "path"),
    [
        ("gemini", "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", ""),
        ("openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", "/v1"),
        ("anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", ""),
    ],
)
async def test_with_a_key_in_the_environment_the_investigation_asks_that_model(
    system: System, served: Provider, name: str, key: str, address: str, path: str, lab_calls: Path
) -> None:
    system.environment |= {key: KEY, address: f"{served.url}{path}"}
    await system.start_all()
    investigation = submit(system)
    log = await investigation.until_ended()

    assert log.types[-1] == "session.completed", log.accepted[-1].event
    session = await shown(system, investigation.session_id, log)
    assert session["scripted"] is False
    assert "OOMKilled" in str(session["final_analysis"])
    answers = [record.event for record in log.accepted if record.envelope.type == "llm_call.completed"]
    assert {answer.model for answer in answers if answer is not None and hasattr(answer, "model")} == {MODEL}
    assert log.types.count("summary.completed") == 1

    await check_that_a_chat_knows_what_was_said_and_read_before(system, investigation, served)
    await check_that_the_record_is_what_was_received(system, investigation, served, lab_calls, key, address, path)
    await check_that_a_rerun_asks_the_model_that_it_names(system, investigation, served, name)

    assert served.keys == {KEY}
    assert [secret for secret in planted_secrets() if any(secret in text for text in served.heard)] == []
    for process in system.processes:
        assert KEY not in process.log.read_text(errors="replace"), process.name


async def check_that_a_chat_knows_what_was_said_and_read_before(
    system: System, investigation: Investigation, served: Provider
) -> None:
    session_id, asked = investigation.session_id, read_incident(INCIDENT).question
    await ask_question(system, session_id, asked)
    log = await investigation.until("reply.completed")
    assert "tool_call.completed" in log.types[log.types.index("session.reopened") :]
    before = len(served.heard)
    await ask_question(system, session_id, "And who has to know?", who="bob")
    await investigation.until("reply.completed", 2)
    (prompt,) = served.heard[before:]
    parts = [
        "OOMKilled",
        asked,
        "I will look at the ReplicaSet",
        'deployment.kubernetes.io/revision: "30"',
        "is revision 30 of the Deployment",
        "bob asks:\n\nAnd who has to know?",
    ]
    places = [prompt.rfind(part) for part in parts]
    assert -1 not in places, parts[places.index(-1)]
    assert places[1:] == sorted(places[1:])


async def check_that_a_rerun_asks_the_model_that_it_names(
    system: System, investigation: Investigation, served: Provider, name: str
) -> None:
    """First the scripted one, and nobody on the wire; then, from that session, the one on the wire again."""
    parent, before = investigation.session_id, len(served.heard)
    path = "/api/v1/sessions/{}/rerun"
    for named, on_the_wire in (("scripted", False), (name, True)):
        changes: dict[str, JsonValue] = {"llm_provider": named}
        begun = await asyncio.to_thread(system.post, "timeline", path.format(parent), changes)
        again = Investigation(system, str(begun["session_id"]))
        log = await again.until_ended()
        session = SessionDetail.model_validate(await shown(system, again.session_id, log))
        asked = {agent.llm_provider for stage in session.stages for agent in stage.executions}
        assert (session.parent_id, session.scripted, asked) == (parent, not on_the_wire, {named})
        assert (len(served.heard) > before) == on_the_wire
        parent = again.session_id
    url = f"{system.of('timeline').url}{path.format(parent)}"
    refused = await asyncio.to_thread(httpx2.post, url, json={"llm_provider": "nope"}, timeout=90.0)
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "/llm_provider")


async def check_that_the_record_is_what_was_received(
    system: System, investigation: Investigation, served: Provider, lab_calls: Path, key: str, address: str, path: str
) -> None:
    """Byte for byte: the adapter, asked with what the API tells of each request, sends the same bodies once more."""
    log = await investigation.log()
    trace = await asyncio.to_thread(read_trace, system, investigation.session_id, len(log.accepted))
    interactions = await asyncio.to_thread(lambda: list(read_llm_interactions(system, trace)))

    assert {one.interaction_type for one in interactions} == {
        *("iteration", "executive_summary", "summarization", "chat_response")
    }
    assert [one.id for one in interactions if one.verified is not True] == []
    with provider() as again:
        environment = os.environ | {key: KEY, address: f"{again.url}{path}"}
        models = models_of(ConfigSource(system.config_dir, environment).load())
        try:
            for one in interactions:
                # This provider has no turn for executive summaries: it refuses them again.
                with suppress(LlmCallError):
                    async with aclosing(models.llms[one.llm_provider].stream(request_of(one))) as stream:
                        async for _ in stream:
                            pass
        finally:
            await models.close()
        # A call may be asked more often here than there: each attempt on record is made, and has the same bytes.
        assert sorted({*again.bodies}) == sorted({*served.bodies})
        assert Counter(served.bodies) <= Counter(again.bodies)

    calls = [
        McpInteraction.model_validate(system.get(f"/api/v1/sessions/{trace.session_id}/trace/mcp/{one.id}"))
        for stage in trace.stages
        for execution in stage.executions
        for one in execution.mcp_interactions
        if one.interaction_type == "tool_call" and one.server_name == "kubernetes"
    ]
    lines = (await asyncio.to_thread(lab_calls.read_text, "utf-8")).splitlines()
    started = [one for one in map(json.loads, lines) if one["phase"] == "started"]
    # The server notes its defaults, which are null, with what it was sent.
    received = [(one["tool"], {name: sent for name, sent in one["arguments"].items() if sent}) for one in started]
    assert sorted(map(str, received)) == sorted(str((call.tool_name, call.tool_arguments)) for call in calls)
