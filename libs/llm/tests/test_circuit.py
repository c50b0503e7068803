"""The circuit breaker of one provider, and those of all."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from tarsy_llm.circuit import CLOSED, LONGEST_PAUSE_SECONDS, Circuit, CircuitState
from tarsy_llm.circuits import Circuits
from tarsy_llm.protocol import Answer, Delta, ErrorKind, Llm, LlmCallError, LlmRequest

BEGAN = datetime(2026, 11, 29, tzinfo=UTC)


def failed(*kinds: ErrorKind, now: float = 0.0) -> Circuit:
    circuit = CLOSED
    for kind in kinds:
        circuit = circuit.note_failure(kind, now)
    return circuit


@pytest.mark.parametrize(
    ("kinds", "state"),
    [
        ([], "closed"),
        (["provider_error"] * 2, "closed"),
        (["provider_error", "first_chunk_timeout", "cut_off"], "open"),
        (["credentials"], "open"),
    ],
)
def test_failures_in_a_row_open_it_and_one_of_credentials_does_at_once(
    kinds: Sequence[ErrorKind], state: CircuitState
) -> None:
    assert failed(*kinds).state(0.0) == state


@pytest.mark.parametrize(
    ("now", "state", "may_ask", "failing"),
    [(29.9, "open", False, True), (30.0, "half_open", True, True), (631.0, "half_open", True, False)],
)
def test_it_is_tried_after_a_pause_and_not_reported_for_ever_where_nobody_asks(
    now: float, state: CircuitState, may_ask: bool, failing: bool
) -> None:
    circuit = failed("credentials")
    assert (circuit.state(now), circuit.may_ask(now), circuit.is_failing(now)) == (state, may_ask, failing)


def test_each_failure_of_a_try_doubles_the_pause_up_to_a_limit() -> None:
    circuit, pauses = failed("credentials"), []
    for _ in range(7):
        now = circuit.tries_at
        circuit = circuit.begin_try().note_failure("provider_error", now)
        pauses.append(circuit.tries_at - now)
    assert pauses == [60, 120, 240, 480, 600, 600, 600]


@pytest.mark.parametrize(("wanted", "pause"), [(5.0, 30.0), (90.0, 90.0), (86_400.0, LONGEST_PAUSE_SECONDS)])
def test_a_provider_that_says_how_long_is_left_alone_so_long_within_bounds(wanted: float, pause: float) -> None:
    assert CLOSED.note_failure("credentials", 0.0, wanted).tries_at == pause


class Silent:
    async def stream(self, request: LlmRequest) -> AsyncGenerator[Delta | Answer]:
        raise NotImplementedError
        yield

    async def aclose(self) -> None:
        pass


class World:
    """Circuits of these providers, with a clock that is put forward."""

    def __init__(self, *providers: str) -> None:
        self.seconds = 0.0
        self.llms: dict[str, Llm] = {name: Silent() for name in providers}
        self.watched: dict[str, Callable[[], bool]] = {}
        self.skipped: list[str] = []
        self.circuits = Circuits(
            self.llms, self, monotonic=lambda: self.seconds, now=lambda: BEGAN + timedelta(seconds=self.seconds)
        )

    def watch_provider(self, provider: str, is_failing: Callable[[], bool]) -> None:
        self.watched[provider] = is_failing

    def count_skipped(self, provider: str) -> None:
        self.skipped.append(provider)

    def fail(self, provider: str, kind: ErrorKind = "credentials") -> None:
        with suppress(LlmCallError), self.circuits.call(provider):
            raise LlmCallError("no", kind=kind)

    def answer(self, provider: str) -> None:
        with self.circuits.call(provider):
            pass


def test_one_that_fails_is_skipped_only_while_another_can_be_asked() -> None:
    world = World("first", "second")
    world.fail("first")
    assert world.circuits.skips("first", ["second"])
    assert not world.circuits.skips("first", [])
    assert not world.circuits.skips("first", ["unknown"])
    world.fail("second")
    assert not world.circuits.skips("first", ["second"])
    assert world.skipped == ["first"]


def test_one_call_at_a_time_tries_it_and_an_answer_closes_it() -> None:
    world = World("first", "second")
    world.fail("first")
    world.seconds = 30.0
    with world.circuits.call("first"):
        assert world.circuits.skips("first", ["second"])
    assert not world.circuits.skips("first", ["second"])
    assert world.circuits.list_failing() == ()


def test_a_try_that_is_cancelled_leaves_the_next_call_another() -> None:
    world = World("first", "second")
    world.fail("first")
    world.seconds = 30.0
    with suppress(asyncio.CancelledError), world.circuits.call("first"):
        raise asyncio.CancelledError
    assert not world.circuits.skips("first", ["second"])


@pytest.mark.parametrize(
    ("kind", "skipped"), [("provider_error", True), ("rate_limited", True), ("invalid_request", False)]
)
def test_what_a_try_meets_decides_and_a_refusal_is_an_answer(kind: ErrorKind, skipped: bool) -> None:
    world = World("first", "second")
    world.fail("first")
    world.seconds = 30.0
    world.fail("first", kind)
    assert world.circuits.skips("first", ["second"]) is skipped


@pytest.mark.parametrize("kind", ["rate_limited", "invalid_request", "context_full", "refused", "tools_refused"])
def test_mistakes_of_requests_and_rate_limits_open_nothing(kind: ErrorKind) -> None:
    world = World("first", "second")
    for _ in range(10):
        world.fail("first", kind)
    assert not world.circuits.skips("first", ["second"])


def test_calls_that_had_begun_before_it_opened_change_its_pause_only_by_an_answer() -> None:
    world = World("first", "second")
    with suppress(LlmCallError), world.circuits.call("first"):
        world.fail("first")
        world.seconds = 20.0
        raise LlmCallError("no", kind="provider_error")
    world.seconds = 30.0
    assert world.circuits.may_ask("first")
    with world.circuits.call("second"):
        world.fail("second")
    assert world.circuits.may_ask("second")


def test_summaries_ask_first_whoever_answered_and_the_dead_one_last() -> None:
    world = World("first", "second", "third")
    world.fail("first")
    world.fail("second", "provider_error")
    assert world.circuits.order(["first", "second", "third"]) == ("third", "second", "first")
    assert world.skipped == ["first"]
    world.seconds = 60.0
    world.answer("first")
    assert world.circuits.order(["first", "second", "third"]) == ("first", "second", "third")


def test_it_says_who_fails_why_and_since_when() -> None:
    world = World("first", "second")
    world.seconds = 10.0
    world.fail("first")
    world.seconds = 15.0
    (failing,) = world.circuits.list_failing()
    assert (failing.provider, failing.kind, failing.since) == ("first", "credentials", BEGAN + timedelta(seconds=10))
    assert world.circuits.explain_degraded() == [
        "The LLM provider first fails (credentials): others are asked in its stead"
    ]
    assert {name: fails() for name, fails in world.watched.items()} == {"first": True}


def test_a_provider_with_other_settings_begins_anew() -> None:
    world = World("first", "second")
    world.fail("first")
    world.llms["first"] = Silent()
    assert not world.circuits.skips("first", ["second"])
    assert world.circuits.list_failing() == ()
