"""`tarsy servers login`, on the real Kafka, with a person's browser and an authorization server of the tests."""

import asyncio
import os
import re
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import httpx2
import pytest
from typer.testing import CliRunner

from tarsy_bus.client.connection import Bus
from tarsy_bus.topics.topics_admin import apply_topics
from tarsy_cli.app import cli
from tarsy_cli.audit.acts import ActFilter, read_acts
from tarsy_cli.logins import command
from tarsy_cli.logins import login as logins
from tarsy_cli.logins import logout as logouts
from tarsy_contracts.messages.mcp_tokens import LOGGED_OUT
from tarsy_contracts.wire.topics import Topics
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_testing.real_servers import WAIT_SECONDS, own_kafka
from tarsy_testing.servers.consent_server import ConsentServer, browse, consent_server
from tarsy_testing.waiting import wait_until
from tarsy_tool_gateway.mcp.logins.login import McpLogin
from tarsy_tool_gateway.mcp.logins.token_keys import TokenKeys
from tarsy_tool_gateway.mcp.logins.token_topic import read_tokens

KAFKA_SECONDS = 20.0
KEY = "0123456789abcdef0123456789abcdef"
CONFIGURATION = """
mcp_servers:
  remote: {{transport: {{type: http, url: "{url}", oauth: {{grant: authorization_code, issuer: "{issuer}"}}}}}}
  plain: {{transport: {{type: http, url: "{url}"}}}}
agents: {{A: {{mcp_servers: [remote]}}}}
agent_chains: {{k: {{alert_types: [kubernetes], stages: [{{name: s, agents: [{{name: A}}]}}]}}}}
llm_providers: {{scripted: {{type: scripted, script: tarsy.yaml}}}}
defaults: {{llm_provider: scripted}}
"""


@pytest.fixture(scope="module")
def bus(kafka_bootstrap: str) -> Bus:
    bus = Bus(kafka_bootstrap, Topics(f"t{os.urandom(6).hex()}"), client="test")
    asyncio.run(apply_topics(bus))
    return bus


@pytest.fixture
def server() -> Iterator[ConsentServer]:
    """In a loop of its own: the command has another."""
    found: list[ConsentServer] = []
    started, over = Event(), Event()

    async def run() -> None:
        async with consent_server() as one:
            found.append(one)
            started.set()
            await asyncio.to_thread(over.wait)

    thread = Thread(target=lambda: asyncio.run(run()))
    thread.start()
    assert started.wait(60)
    yield found[0]
    over.set()
    thread.join(60)


@pytest.fixture
def folder(tmp_path: Path, server: ConsentServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    text = CONFIGURATION.format(url=server.url, issuer=server.issuer)
    (tmp_path / "tarsy.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("TARSY_TOKEN_KEY", KEY)
    return tmp_path


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Somebody opens the address that is shown, and a page of somebody else asks the listener too. Their statuses."""
    statuses: list[int] = []

    def show(url: str, waiting: str) -> None:
        def open_both() -> None:
            strangers = f"{waiting}?code=stolen&state=guessed", waiting.replace("callback", "other")
            found = [httpx2.get(one, timeout=WAIT_SECONDS, trust_env=False).status_code for one in strangers]
            # All at once: the command may end, and begin again, before the browser has its answer.
            statuses.extend([*found, asyncio.run(browse(url))])

        Thread(target=open_both).start()

    monkeypatch.setattr(command, "_show_address", show)
    return statuses


def login(bus: Bus, folder: Path, *arguments: str, act: str = "login") -> tuple[int, str]:
    place = ["--kafka", bus.bootstrap, "--topic-prefix", bus.topics.prefix, "--config", str(folder)]
    home = ["--home", str(folder / "home")]
    answer = CliRunner().invoke(cli, ["servers", act, *place, *home, *arguments])
    return answer.exit_code, " ".join(answer.output.split())


def on_record(bus: Bus, *, key: str = KEY) -> tuple[int, McpLogin]:
    token = asyncio.run(read_tokens(bus)).token("remote")
    assert token is not None
    opened = TokenKeys([key.encode()]).open(token.sealed, "remote", token.number)
    return token.number, McpLogin.model_validate_json(opened)


def test_a_person_logs_in_and_again_and_the_last_login_counts(
    bus: Bus, server: ConsentServer, folder: Path, opened: list[int]
) -> None:
    for number in (1, 2):
        code, output = login(bus, folder, "remote")
        assert (code, output) == (0, "Logged in to remote. Tool gateways use the login within half a minute.")
        counting, kept = on_record(bus)
        assert (counting, server.judged(kept.authorization)) == (number, None)
    wait_until(lambda: len(opened) >= 3)
    assert opened[:3] == [400, 404, 200]
    code, _ = login(bus, folder, "remote", "--scope", "tools.write")
    assert (code, on_record(bus)[1].scope) == (0, "tools.read tools.write")


def acts(bus: Bus) -> list[tuple[str, str]]:
    found = asyncio.run(read_acts(bus, ActFilter(), 1000)).acts
    return [(act.act, act.target["server"]) for act in found]


def test_a_person_logs_out_and_the_login_does_not_come_back(
    bus: Bus, server: ConsentServer, folder: Path, opened: list[int]
) -> None:
    assert login(bus, folder, "remote")[0] == 0
    number, kept = on_record(bus)
    code, output = login(bus, folder, "remote", act="logout")
    assert (code, output) == (
        0,
        "Logged out of remote. Its authorization server has revoked the token.",
    )
    assert server.revoked == [kept.refresh_token]
    assert server.judged(kept.authorization) is not None
    counting = asyncio.run(read_tokens(bus)).token("remote")
    assert counting is not None
    assert (counting.number, counting.sealed) == (number + 1, LOGGED_OUT)
    assert asyncio.run(read_tokens(bus)).list_superseded("remote") == [], "they have tombstones"
    assert login(bus, folder, "remote", act="logout") == (0, "Nobody was logged in to remote.")
    assert login(bus, folder, "remote")[0] == 0
    assert on_record(bus)[0] == number + 2


def test_logins_and_logouts_are_on_record(bus: Bus, folder: Path, opened: list[int]) -> None:
    before = len(acts(bus))
    login(bus, folder, "remote")
    login(bus, folder, "remote", act="logout")
    assert acts(bus)[before:] == [("tarsy servers login", "remote"), ("tarsy servers logout", "remote")]


def test_an_authorization_server_that_takes_no_token_back_is_named(
    bus: Bus, server: ConsentServer, folder: Path, opened: list[int]
) -> None:
    server.revocation_status = 503
    login(bus, folder, "remote")
    code, output = login(bus, folder, "remote", act="logout")
    assert code == 0
    assert output.endswith("has not revoked the token: the authorization server answered HTTP 503.")


def test_the_address_is_shown_on_one_line(bus: Bus, folder: Path) -> None:
    code, output = login(bus, folder, "remote", "--seconds", "1")
    assert code == 1
    assert "Open this address in a browser on this machine: http://127.0.0.1:" in output
    assert "code_challenge_method=S256" in output
    assert "Waiting for the answer at http://127.0.0.1:" in output
    assert output.endswith("The login at remote did not succeed: it was not finished within 1 seconds.")


def test_a_refusal_of_the_person_is_said(bus: Bus, server: ConsentServer, folder: Path, opened: list[int]) -> None:
    server.refusal = "access_denied"
    code, output = login(bus, folder, "remote")
    said = (
        "The login at remote did not succeed: the authorization server refused it: access_denied: the person said no."
    )
    assert (code, output) == (1, said)


def test_another_issuer_gets_nothing(bus: Bus, server: ConsentServer, folder: Path, opened: list[int]) -> None:
    server.named_issuer = f"{server.issuer}/other"
    code, output = login(bus, folder, "remote")
    assert code == 1
    assert output.startswith(f"The login at remote did not succeed: nobody answers for the issuer {server.issuer}")
    assert (server.clients, server.grants, opened) == ({}, [], [])


@pytest.mark.parametrize(
    ("name", "said"),
    [("plain", "no oauth with grant: authorization_code"), ("nobody", "has no MCP server of this name, but")],
)
def test_a_server_that_wants_no_login_is_a_mistake(bus: Bus, folder: Path, name: str, said: str) -> None:
    code, output = login(bus, folder, name)
    assert (code, said in output) == (1, True)


def test_the_key_of_the_home_is_taken_where_the_environment_has_none(
    bus: Bus, folder: Path, opened: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TARSY_TOKEN_KEY")
    code, output = login(bus, folder, "remote")
    assert code == 1
    assert "neither TARSY_TOKEN_KEY nor" in output
    (folder / "home").mkdir()
    (folder / "home" / "token.key").write_text(f"{KEY[::-1]}\n", "ascii")
    assert login(bus, folder, "remote")[0] == 0
    assert on_record(bus, key=KEY[::-1])[1].access_token


def test_a_port_that_is_taken_is_said(bus: Bus, folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        code, output = login(bus, folder, "remote", "--port", str(taken.getsockname()[1]))
    assert code == 1
    assert "address already in use" in output


@pytest.fixture
def own_broker(tmp_path: Path) -> Iterator[EmbeddedKafka]:
    """A broker of this test's own, to be killed or put to sleep."""
    with own_kafka(tmp_path / "kafka") as kafka:
        yield kafka


@pytest.mark.parametrize("outage", [signal.SIGKILL, signal.SIGSTOP], ids=["it is gone", "it sleeps"])
def test_an_outage_of_kafka_ends_a_login_with_a_sentence_and_a_repeat_works(
    folder: Path, own_broker: EmbeddedKafka, opened: list[int], monkeypatch: pytest.MonkeyPatch, outage: signal.Signals
) -> None:
    """It begins when the person has the address: with a consent that cannot be kept."""
    bus = Bus(own_broker.bootstrap, Topics("t"), client="test")
    asyncio.run(apply_topics(bus))
    show = command._show_address

    def lose_kafka(url: str, waiting: str) -> None:
        os.kill(own_broker.pid, outage)
        show(url, waiting)

    with monkeypatch.context() as away:
        away.setattr(command, "_show_address", lose_kafka)
        away.setattr(logins, "KAFKA_SECONDS", KAFKA_SECONDS)
        code, output = login(bus, folder, "remote")
    assert code == 1
    assert re.fullmatch(
        r"The login at remote did not succeed: Kafka did not confirm (within 20 seconds )?that it keeps the login: "
        r"log in again when it can be used( \(\w+\))?\.",
        output,
    ), output

    if outage is signal.SIGSTOP:
        os.kill(own_broker.pid, signal.SIGCONT)
    else:
        for seconds in own_broker.start_again():
            time.sleep(seconds)
    assert asyncio.run(read_tokens(bus)).token("remote") is None
    assert login(bus, folder, "remote")[0] == 0
    assert on_record(bus)[0] == 1


def test_kafka_that_sleeps_from_the_beginning_is_said_before_anybody_consents(
    folder: Path, own_broker: EmbeddedKafka, opened: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    bus = Bus(own_broker.bootstrap, Topics("t"), client="test")
    os.kill(own_broker.pid, signal.SIGSTOP)
    try:
        for module, act in ((logins, "login"), (logouts, "logout")):
            monkeypatch.setattr(module, "KAFKA_SECONDS", 1.0)
            code, output = login(bus, folder, "remote", act=act)
            assert (code, output.startswith(f"Kafka at {bus.bootstrap} cannot be used (TimeoutError)")) == (1, True)
    finally:
        os.kill(own_broker.pid, signal.SIGCONT)
    assert opened == []
