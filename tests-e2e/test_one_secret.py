"""The same secret has the same placeholder wherever it comes in, through whichever instance; elsewhere another.

Each service makes its masker for itself, from its own settings: all that they share is the key.
"""

from datetime import UTC, datetime

import pytest

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_contracts.conversation import Usage
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_contracts.wire.topics import Topics
from tarsy_ingest.intake.alert_masking import AlertMaskers, mask_alert
from tarsy_ingest.raw_alert import RawAlert
from tarsy_ingest.settings import IngestSettings
from tarsy_llm.protocol import Answer, AskedTool
from tarsy_masking.masker import Masker
from tarsy_orchestrator.effects.llm_answer import mask_answer
from tarsy_orchestrator.settings import OrchestratorSettings
from tarsy_service.access.caller import caller_of
from tarsy_service.settings.service_settings import MaskingSettings
from tarsy_summarizer.settings import SummarizerSettings
from tarsy_testing.access import request_with
from tarsy_timeline.settings import TimelineSettings
from tarsy_tool_gateway.masking import ServerMaskers
from tarsy_tool_gateway.results.results import ResultStore
from tarsy_tool_gateway.settings import ToolGatewaySettings

KEY = "0123456789abcdef0123456789abcdef"
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TARSY_MASKING_KEY", KEY)
    monkeypatch.setenv("TARSY_DATABASE", "postgresql://127.0.0.1/none")


def now() -> datetime:
    return datetime.now(UTC)


def own_masker(kind: type[MaskingSettings]) -> Masker:
    return Masker.default(kind().masking_key_bytes)


def in_an_alert(session: str) -> str:
    masker = own_masker(IngestSettings)
    incoming = RawAlert(session_id=session, alert_type="a", data={"note": TOKEN}, source="api", author="ann")
    return mask_alert(incoming, AlertMaskers(masker, masker)).data


async def in_a_result(session: str) -> str:
    """Of a gateway of its own each time."""
    publisher = Publisher(
        Bus("127.0.0.1:1", Topics("none"), "gateway"), source="gateway", now=lambda: datetime.now(UTC)
    )
    mask_of = ServerMaskers(own_masker(ToolGatewaySettings)).of_session
    request = ToolCallRequest(
        session_id=session,
        call_id="call",
        server="db",
        tool="query",
        arguments={},
        repeatable=True,
        timeout_seconds=1,
        not_after=now(),
    )
    kept = await ResultStore(publisher, source="g", mask_of=mask_of, now=lambda: datetime.now(UTC)).keep(
        request, "c", TOKEN
    )
    return kept.content


def in_answers(session: str) -> list[str]:
    """Thinking, an argument, the final analysis; and a piece of its stream."""
    masker = own_masker(OrchestratorSettings).for_session(session)
    call = AskedTool(name="db__query", arguments={"sql": TOKEN})
    answer = Answer(thinking=TOKEN, text=TOKEN, tool_calls=(call,), usage=Usage(), model="m")
    said = mask_answer(answer, masker, llm_call_id="llm", offered={"db__query"})
    return [said.thinking, str(said.tool_calls[0].arguments["sql"]), said.text, streamed(masker)]


def in_a_summary(session: str) -> str:
    return streamed(own_masker(SummarizerSettings).for_session(session))


def streamed(masker: Masker) -> str:
    stream = masker.stream()
    return stream.take(f"{TOKEN}\n") + stream.rest()


def in_a_request(session: str) -> str:
    who = caller_of(request_with({"x-forwarded-user": TOKEN}))
    return who.author(own_masker(TimelineSettings).for_session(session).mask)


async def everywhere(session: str) -> list[str]:
    return [
        in_an_alert(session),
        await in_a_result(session),
        await in_a_result(session),
        *in_answers(session),
        in_a_summary(session),
        in_a_request(session),
    ]


def placeholder(session: str) -> str:
    return Masker.default(KEY.encode()).for_session(session).mask(TOKEN)


async def test_one_secret_has_one_placeholder_at_every_door() -> None:
    assert placeholder("s-1") != Masker.default().mask(TOKEN), "it has digits"
    assert [placeholder("s-1") in text for text in await everywhere("s-1")] == [True] * 9


async def test_in_another_session_it_has_another_at_every_door() -> None:
    assert placeholder("s-1") != placeholder("s-2")
    texts = await everywhere("s-2")
    assert [placeholder("s-2") in text for text in texts] == [True] * 9
    assert not [text for text in texts if placeholder("s-1") in text]
