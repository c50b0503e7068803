"""What servers say is masked by the built-in rules always, and by what the configuration adds for each."""

import asyncio
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.publisher import Publisher
from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config
from tarsy_config.sections.masking import GROUPS, PATTERNS, CustomPatternConfig, DataMasking
from tarsy_contracts.builtin_tools import FETCH_RUNBOOK, OWN_SERVER
from tarsy_contracts.events import Outcome
from tarsy_contracts.messages.requests import ToolCallRequest
from tarsy_contracts.wire.topics import Topics
from tarsy_masking.masker import REDACTED, Masker
from tarsy_masking.patterns import read_patterns
from tarsy_testing.broken_masker import broken_masker
from tarsy_tool_gateway.masking import ServerMaskers, check_custom_patterns, server_maskers
from tarsy_tool_gateway.metrics import Metrics
from tarsy_tool_gateway.results.results import OFF_THE_LOOP_CHARACTERS, ResultStore
from tarsy_tool_gateway.runner import CallRunner
from tarsy_tool_gateway.tool_servers import ToolOutput, call_tool
from tarsy_worker.runner import MayStart, always

KEY = bytes(range(32))
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
MAIL = "ann@shop.example"
BADGE = CustomPatternConfig(pattern=r"badge-\d+", replacement="[MASKED_BADGE]")


class Speaking:
    """A server that always says the same."""

    limits = None

    def __init__(self, text: str, outcome: Outcome = "ok") -> None:
        self._said = ToolOutput(outcome, text)

    async def call(self, request: ToolCallRequest, may_start: MayStart = always) -> ToolOutput:
        return self._said


class CancelledFromInside:
    limits = None

    async def call(self, request: ToolCallRequest) -> ToolOutput:
        own = asyncio.get_running_loop().create_future()
        own.cancel()
        await own
        raise AssertionError("not reached")


class Breaking:
    """A server through which a mistake of ours is met, with a secret in it."""

    limits = None

    async def call(self, request: ToolCallRequest, may_start: MayStart = always) -> ToolOutput:
        raise RuntimeError(TOKEN)


def called(server: str = "db", session: str = "s-1", tool: str = "query") -> ToolCallRequest:
    return ToolCallRequest(
        session_id=session,
        call_id="call-1",
        server=server,
        tool=tool,
        arguments={},
        repeatable=True,
        timeout_seconds=5,
        not_after=datetime(2026, 11, 22, tzinfo=UTC),
    )


def runner(masking: ServerMaskers, **servers: object) -> CallRunner:
    """Of a gateway whose results are short: nothing is written anywhere."""
    bus = Bus(bootstrap="127.0.0.1:1", topics=Topics("none"), client="test")
    publisher = Publisher(bus, source="test", now=lambda: datetime.now(UTC))
    results = ResultStore(publisher, source="test", mask_of=masking.of_session, now=lambda: datetime.now(UTC))
    metrics = Metrics(CollectorRegistry(), list(servers))
    return CallRunner(partial(call_tool, servers), results, worker_id="w", metrics=metrics)  # type: ignore[arg-type]


async def content(runner: CallRunner, request: ToolCallRequest) -> str:
    return (await runner.run(request, "claim-1")).content


def test_the_configuration_knows_the_names_that_the_masker_knows() -> None:
    source = read_patterns()
    assert source.groups.keys() == GROUPS
    assert source.covered | {pattern.name for pattern in source.opt_in} == PATTERNS
    assert read_patterns().known_names >= GROUPS | PATTERNS


@pytest.mark.parametrize("outcome", ["ok", "tool_error", "unavailable", "rejected", "unknown"])
async def test_two_instances_write_the_same_placeholder_and_another_session_has_another(outcome: Outcome) -> None:
    said = Speaking(f"the token is {TOKEN}", outcome)
    one, two = (runner(ServerMaskers(Masker.default(KEY)), db=said) for _ in range(2))
    told = await content(one, called())
    assert told == f"the token is {Masker.default(KEY).for_session('s-1').mask(TOKEN)}"
    assert await content(two, called()) == told
    assert await content(two, called(session="s-2")) not in (told, f"the token is {TOKEN}")


async def test_a_runbook_is_masked_like_a_result() -> None:
    instance = runner(ServerMaskers(Masker.default(KEY)), **{OWN_SERVER: Speaking(f"use {TOKEN}")})
    told = await content(instance, called(OWN_SERVER, tool=FETCH_RUNBOOK))
    assert told == f"use {Masker.default(KEY).for_session('s-1').mask(TOKEN)}"


async def test_what_is_added_for_a_server_is_for_its_results_and_no_others() -> None:
    masking = server_maskers(Masker.default(KEY), {"db": DataMasking(patterns=("email",), custom_patterns=(BADGE,))})
    said = Speaking(f"{MAIL} badge-4417 {TOKEN}")
    instance = runner(masking, db=said, logs=said)
    of_db, of_logs = [await content(instance, called(server)) for server in ("db", "logs")]
    token = Masker.default(KEY).for_session("s-1").mask(TOKEN)
    assert of_logs == f"{MAIL} badge-4417 {token}"
    assert of_db.startswith("[MASKED_EMAIL_")
    assert "badge-4417" not in of_db
    assert of_db.endswith(token), "the same secret has the same placeholder, whatever else is masked"


async def test_what_is_switched_off_is_only_what_was_added() -> None:
    off = DataMasking(enabled=False, patterns=("email",), custom_patterns=(BADGE,))
    instance = runner(server_maskers(Masker.default(), {"db": off}), db=Speaking(f"{MAIL} badge-4417 {TOKEN}"))
    assert await content(instance, called()) == f"{MAIL} badge-4417 {Masker.default().mask(TOKEN)}"


def test_what_belongs_to_no_session_is_masked_without_digits() -> None:
    masking = server_maskers(Masker.default(KEY), {"db": DataMasking(custom_patterns=(BADGE,))})
    assert masking.of("db").mask(f"badge-1 {TOKEN}") == f"[MASKED_BADGE] {Masker.default().mask(TOKEN)}"
    assert masking.of("logs").mask("badge-1") == "badge-1"


@pytest.mark.parametrize("length", [10, OFF_THE_LOOP_CHARACTERS + 1])
async def test_when_masking_fails_nothing_of_a_result_is_kept(length: int) -> None:
    instance = runner(ServerMaskers(broken_masker()), db=Speaking(f"{TOKEN} " + "x" * length))
    assert await content(instance, called()) == REDACTED


async def test_a_call_that_is_cancelled_from_inside_has_an_outcome() -> None:
    """By a library that cancels a task of its own: nobody would ever be told of the call."""
    told = await content(runner(ServerMaskers(Masker.default(KEY)), db=CancelledFromInside()), called())
    assert told == "The tool gateway failed in this call."


async def test_a_mistake_of_ours_tells_nothing_of_what_it_met(caplog: pytest.LogCaptureFixture) -> None:
    told = await content(runner(ServerMaskers(Masker.default(KEY)), db=Breaking()), called())
    assert told == "The tool gateway failed in this call."
    assert TOKEN not in caplog.text


def test_a_replacement_that_cannot_be_made_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "tarsy.yaml").write_text(
        """\
mcp_servers:
  db:
    transport: {type: stdio, command: "true"}
    data_masking:
      custom_patterns:
        - {pattern: 'badge-(\\d+)', replacement: 'badge-$1'}
        - {pattern: 'x(y)', replacement: '$2'}
        - {pattern: 'z', replacement: '${name}'}
agents: {A: {mcp_servers: [db]}}
agent_chains:
  one: {alert_types: [kubernetes], stages: [{name: look, agents: [{name: A, llm_provider: scripted}]}]}
llm_providers: {scripted: {type: scripted, script: tarsy.yaml}}
""",
        "utf-8",
    )
    with pytest.raises(InvalidConfigError) as wrong:
        load_config(tmp_path, {}, also=(check_custom_patterns,))
    place = "mcp_servers.db.data_masking.custom_patterns"
    problem = "the replacement names a group that the pattern has not"
    assert str(wrong.value).splitlines() == [
        f"tarsy.yaml:7: {place}[1].pattern: {problem}: 2; change the pattern, or its replacement",
        f"tarsy.yaml:8: {place}[2].pattern: {problem}: name; change the pattern, or its replacement",
    ]
