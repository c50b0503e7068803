"""A session is run again over the API: a real PostgreSQL has its alert, a real Kafka takes the new one."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.records import delivery
from tarsy_contracts import events as e
from tarsy_contracts.alert import Alert, McpSelection, McpServerSelection, Rerun
from tarsy_contracts.api.alert_choices import AlertChoices, ChoiceMistake, JudgedChoices
from tarsy_contracts.chain import ResolvedChain
from tarsy_contracts.messages.inputs import INPUTS, AlertReceived
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.bus_kafka import read_all
from tarsy_testing.servers.http_server import Quiet, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

type Append = Callable[..., Awaitable[int]]
type NewSession = Callable[[], Any]

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
CHAIN = ResolvedChain(chain_id="default", stages=(), summary_llm_provider="scripted")
ALERT = Alert(
    alert_type="crash",
    data="pod [MASKED_TOKEN_1] crashes",
    source="alertmanager",
    author="alertmanager",
    title="Crash",
    severity="critical",
    runbook_url="https://a/b.md",
    labels={"team": "shop"},
    mcp=McpSelection(servers=(McpServerSelection(name="k8s", tools=("pods",)),), native_tools={"google_search": True}),
)


KNOWN = {"alert_type": "network", "llm_provider": "other"}
USED = {"network": "network", "elsewhere": "crash"}


class Ingest(Quiet):
    """Judges names as an ingest does that has one of each, and whose default chain takes one more type."""

    def do_POST(self) -> None:
        choices = AlertChoices.model_validate_json(self.rfile.read(int(self.headers["Content-Length"])))
        if choices.llm_provider == "broken":
            return self._answer(b"{}", 404)
        wrong = [name for name, known in KNOWN.items() if getattr(choices, name) not in (None, known, "elsewhere")]
        mistakes = [ChoiceMistake(place=(name,), text=f"known: {KNOWN[name]}") for name in wrong]
        used = USED.get(choices.alert_type or "")
        return self._answer(JudgedChoices(alert_type=used, mistakes=tuple(mistakes)).model_dump_json().encode(), 200)

    def _answer(self, body: bytes, status: int) -> None:
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope="module")
def ingest_url() -> Iterator[str]:
    with serving(Ingest) as url:
        yield url


async def begun(
    client: httpx2.AsyncClient,
    bus: Bus,
    append: Append,
    new_session: NewSession,
    alert: Alert = ALERT,
    joined: tuple[str, ...] = (),
) -> str:
    """The id of a session that runs, once the timeline has it. `joined`: ids of alerts that joined it."""
    session = new_session().add(e.SessionStarted(input_id="i", alert=alert, chain=CHAIN))
    if joined:
        session.add(e.AlertRepeated(input_id="j", source="api", joined=joined))
    await append(bus, 0, session.records)

    async def is_there() -> bool:
        answer = await client.get(f"/api/v1/sessions/{session.id}")
        return answer.status_code == 200 and answer.json()["last_number"] == len(session.records)

    await eventually(is_there, "the session is projected")
    id: str = session.id
    return id


async def received(bus: Bus, session_id: str) -> list[tuple[str, Alert]]:
    """The ids of inputs, and the alerts, that came to the inbox for a session."""
    records = [record for record in await read_all(bus, bus.topics.inbox) if record.key == session_id.encode()]
    found = [(delivery(record).envelope.id, delivery(record).decode(INPUTS)) for record in records]
    return [(id, message.alert) for id, message in found if isinstance(message, AlertReceived)]


async def test_a_new_session_gets_the_alert_names_its_parent_and_has_the_masked_question(
    client: httpx2.AsyncClient, system_bus: Bus, append: Append, new_session: NewSession
) -> None:
    parent = await begun(client, system_bus, append, new_session)
    path, changes = f"/api/v1/sessions/{parent}/rerun", {"question": f"Is it {TOKEN}?", "priority": "low"}
    answer = await client.post(path, json=changes, headers={"X-Forwarded-User": "ann"})
    assert (answer.status_code, answer.json()["parent_id"]) == (202, parent)
    ((_, alert),) = await received(system_bus, answer.json()["session_id"])
    assert alert.rerun is not None
    assert (alert.rerun.parent_id, TOKEN in alert.rerun.question, alert.author) == (parent, False, "ann")
    assert alert.rerun.question.startswith("Is it [MASKED")
    unchanged = {"source": "api", "author": "ann", "priority": "low", "rerun": alert.rerun}
    assert alert == ALERT.model_copy(update=unchanged)


async def test_the_id_of_an_alert_that_joined_a_session_runs_that_one_again(
    client: httpx2.AsyncClient, system_bus: Bus, append: Append, new_session: NewSession
) -> None:
    joined = str(uuid4())
    parent = await begun(client, system_bus, append, new_session, joined=(joined,))
    answer = await client.post(f"/api/v1/sessions/{joined}/rerun", json={"question": "Why?"})
    assert (answer.status_code, answer.json()["parent_id"]) == (202, parent)
    ((_, alert),) = await received(system_bus, answer.json()["session_id"])
    assert alert.rerun == Rerun(parent_id=parent, question="Why?")


async def test_a_session_names_its_parent_and_those_that_were_run_again_from_it(
    client: httpx2.AsyncClient, system_bus: Bus, append: Append, new_session: NewSession
) -> None:
    parent = await begun(client, system_bus, append, new_session)
    again = ALERT.model_copy(update={"rerun": Rerun(parent_id=parent, question="Why?")})
    child = await begun(client, system_bus, append, new_session, again)
    shown = {id: (await client.get(f"/api/v1/sessions/{id}")).json() for id in (parent, child)}
    assert (shown[parent]["parent_id"], shown[parent]["reruns"]) == (None, [child])
    assert (shown[child]["parent_id"], shown[child]["reruns"]) == (parent, [])


async def test_a_key_is_one_new_session_and_without_one_each_request_is_another(
    client: httpx2.AsyncClient, system_bus: Bus, append: Append, new_session: NewSession
) -> None:
    parent = await begun(client, system_bus, append, new_session)
    path, key = f"/api/v1/sessions/{parent}/rerun", {"Idempotency-Key": "k1"}
    keyed = [(await client.post(path, headers=key)).json()["session_id"] for _ in range(2)]
    free = [(await client.post(path)).json()["session_id"] for _ in range(2)]
    assert (len(set(keyed)), len({*keyed, *free, parent})) == (1, 4)
    inputs = await received(system_bus, keyed[0])
    assert (len(inputs), len({id for id, _ in inputs})) == (2, 1)
    other = await client.post(path, headers=key, json={"question": "Why?"})
    assert other.status_code == 422


async def test_without_a_session_nothing_is_begun_and_a_mistake_is_told(client: httpx2.AsyncClient) -> None:
    assert (await client.post(f"/api/v1/sessions/{uuid4()}/rerun")).status_code == 404
    assert (await client.post(f"/api/v1/sessions/{uuid4()}/rerun", json={"qestion": "?"})).status_code == 400


async def test_a_run_may_have_another_chain_model_and_tools(
    client: httpx2.AsyncClient, system_bus: Bus, append: Append, new_session: NewSession
) -> None:
    parent = await begun(client, system_bus, append, new_session)
    changes = {**KNOWN, "mcp": {"servers": [{"name": "logs", "tools": [TOKEN]}]}}
    answer = await client.post(f"/api/v1/sessions/{parent}/rerun", json=changes)
    ((_, alert),) = await received(system_bus, answer.json()["session_id"])
    assert (alert.alert_type, alert.llm_provider) == ("network", "other")
    assert alert.mcp is not None
    (server,) = alert.mcp.servers
    assert (server.name, alert.mcp.native_tools) == ("logs", None)
    assert server.tools != (TOKEN,)


async def test_a_type_that_the_default_chain_takes_is_the_default_type(
    client: httpx2.AsyncClient, system_bus: Bus, append: Append, new_session: NewSession
) -> None:
    parent = await begun(client, system_bus, append, new_session)
    answer = await client.post(f"/api/v1/sessions/{parent}/rerun", json={"alert_type": "elsewhere"})
    ((_, alert),) = await received(system_bus, answer.json()["session_id"])
    assert alert.alert_type == USED["elsewhere"]


async def test_the_model_of_a_run_is_shown_and_is_that_of_the_next_run_too(
    client: httpx2.AsyncClient, system_bus: Bus, append: Append, new_session: NewSession
) -> None:
    chosen = ALERT.model_copy(update={"llm_provider": "other"})
    parent = await begun(client, system_bus, append, new_session, chosen)
    assert (await client.get(f"/api/v1/sessions/{parent}")).json()["llm_provider"] == "other"
    answer = await client.post(f"/api/v1/sessions/{parent}/rerun")
    ((_, alert),) = await received(system_bus, answer.json()["session_id"])
    assert alert.llm_provider == "other"


@pytest.mark.parametrize("field", [*KNOWN])
async def test_a_name_that_the_configuration_does_not_have_is_pointed_to_and_begins_nothing(
    client: httpx2.AsyncClient, system_bus: Bus, append: Append, new_session: NewSession, field: str
) -> None:
    parent = await begun(client, system_bus, append, new_session)
    refused = await client.post(f"/api/v1/sessions/{parent}/rerun", json={field: "nope"})
    assert refused.status_code == 400
    assert refused.json()["errors"] == [{"detail": f"known: {KNOWN[field]}", "pointer": f"/{field}"}]


async def test_names_that_nobody_can_check_begin_nothing(
    client: httpx2.AsyncClient, system_bus: Bus, append: Append, new_session: NewSession
) -> None:
    parent = await begun(client, system_bus, append, new_session)
    refused = await client.post(f"/api/v1/sessions/{parent}/rerun", json={"llm_provider": "broken"})
    assert (refused.status_code, "cannot be checked" in refused.text) == (503, True)
