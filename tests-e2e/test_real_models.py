"""With a key in the environment the demo asks a real model: here, one that only the wire is real of."""

from collections.abc import Iterator

import pytest

from tarsy_incident import INCIDENT, planted_secrets
from tarsy_investigation import Investigation, shown, submit
from tarsy_lab.incidents import read_incident
from tarsy_provider import MODEL, Provider, provider
from tarsy_questions import ask_question
from tarsy_system import System

pytestmark = pytest.mark.timeout(900)

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
    system: System, served: Provider, name: str, key: str, address: str, path: str
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
