"""Two investigations of the same alert are told apart by what people see, and by nothing else."""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from tarsy_bus.readers.records import Delivery
from tarsy_contracts import events as e
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedAgent, ResolvedChain, ResolvedStage
from tarsy_contracts.conversation import Usage
from tarsy_contracts.wire.envelope import Envelope, event_id
from tarsy_contracts.wire.ids import execution_id, llm_call_id, stage_id, summary_id, tool_call_id
from tarsy_verification.differences import differences
from tarsy_verification.session_log import SessionLog

AT = datetime(2026, 11, 22, tzinfo=UTC)
ALERT = Alert(alert_type="crash", data="", source="api", author="ann")
CHAIN = ResolvedChain(
    chain_id="c",
    stages=(ResolvedStage(name="s", agents=(ResolvedAgent(name="A", llm_provider="p", max_iterations=3),)),),
    summary_llm_provider="p",
)


class Told:
    """One investigation, with ids of its own. Its parts are put together in the order that a test wants."""

    def __init__(self) -> None:
        self.session = str(uuid4())
        self.stage = stage_id(self.session, 1)
        self.execution = execution_id(self.stage, 1)

    def log(self, *events: e.Event) -> SessionLog:
        log, previous = SessionLog(), None
        for number, event in enumerate(events, start=1):
            value = event.to_bytes()
            id = event_id(
                previous=previous, type=event.type, subject=self.session, sequence=number, time=AT, value=value
            )
            envelope = Envelope(
                id=id,
                type=event.type,
                version=event.version,
                source="test",
                subject=self.session,
                time=AT,
                sequence=number,
                previous=previous,
            )
            log.accepted.append(Delivery(envelope, value, "tarsy.sessions", 0, number, AT).to_recorded_event())
            previous = id
        return log

    def begun(self) -> list[e.Event]:
        return [
            e.SessionStarted(input_id="i", alert=ALERT, chain=CHAIN),
            e.StageStarted(stage_id=self.stage, index=1, name="s"),
            e.ExecutionStarted(
                execution_id=self.execution, stage_id=self.stage, agent="A", index=1, system="", prompt="", tools=()
            ),
        ]

    def asked(self, iteration: int = 1, attempt: int = 1, **wait: float) -> e.LlmCallRequested:
        return e.LlmCallRequested.model_validate(
            {
                "llm_call_id": llm_call_id(self.execution, iteration, attempt),
                "execution_id": self.execution,
                "iteration": iteration,
                "attempt": attempt,
                "purpose": "iteration",
                **wait,
            }
        )

    def failed(self, attempt: int = 1) -> e.LlmCallFailed:
        id = llm_call_id(self.execution, 1, attempt)
        return e.LlmCallFailed(llm_call_id=id, execution_id=self.execution, error="busy", retryable=True)

    def answered(self, text: str, iteration: int = 1, attempt: int = 1) -> e.LlmCallCompleted:
        return e.LlmCallCompleted(
            llm_call_id=llm_call_id(self.execution, iteration, attempt),
            execution_id=self.execution,
            thinking="",
            text=text,
            tool_calls=(),
            usage=Usage(),
            model="m",
            duration_ms=hash(self.session) % 1000,
        )

    def call_id(self, index: int, attempt: int = 1) -> str:
        return tool_call_id(llm_call_id(self.execution, 1, attempt), index)

    def calls(self, attempt: int = 1, *, repeatable: bool = True, second: str = "pods_log") -> list[e.Event]:
        return [
            e.ToolCallRequested(
                call_id=self.call_id(index, attempt),
                execution_id=self.execution,
                llm_call_id=llm_call_id(self.execution, 1, attempt),
                server="kubernetes",
                tool=tool,
                arguments={},
                repeatable=repeatable,
                timeout_seconds=60,
            )
            for index, tool in enumerate(("pods_list", second))
        ]

    def result(
        self, index: int, content: str = "fine", outcome: e.Outcome = "ok", attempt: int = 1
    ) -> e.ToolCallCompleted:
        return e.ToolCallCompleted(call_id=self.call_id(index, attempt), outcome=outcome, content=content)

    def summary(self, index: int, attempt: int = 1) -> list[e.Event]:
        call = self.call_id(index, attempt)
        id = summary_id(call)
        return [
            e.SummaryRequested(summary_id=id, call_id=call, execution_id=self.execution, timeout_seconds=60),
            e.SummaryCompleted(
                summary_id=id, call_id=call, content=f"short {index}", usage=Usage(), model="m", duration_ms=1
            ),
        ]

    def ended(self, analysis: str = "memory", status: e.EndStatus = "completed") -> list[e.Event]:
        return [
            e.ExecutionCompleted(
                execution_id=self.execution,
                stage_id=self.stage,
                agent="A",
                index=1,
                status=status,
                final_analysis=analysis,
            ),
            e.StageCompleted(stage_id=self.stage, index=1, name="s", status=status),
            e.SessionCompleted(final_analysis=analysis),
        ]

    def plain(self, content: str = "fine", outcome: e.Outcome = "ok") -> SessionLog:
        """Two calls at once, both with a summary."""
        both = [event for index in (0, 1) for event in (self.result(index, content, outcome), *self.summary(index))]
        return self.log(*self.begun(), self.asked(), self.answered("looking"), *self.calls(), *both, *self.ended())


def test_two_investigations_without_a_disturbance_are_the_same_whatever_their_ids() -> None:
    assert differences(Told().plain(), Told().plain()) == []


def test_a_secret_may_have_other_digits_in_another_session_but_no_other_kind() -> None:
    one, other = Told().plain("id [MASKED_API_KEY_0a1b2c3d]"), Told().plain("id [MASKED_API_KEY_99aabbcc]")
    assert differences(one, other) == []
    assert differences(one, Told().plain("id [MASKED_TOKEN_0a1b2c3d]")) != []


def test_results_and_summaries_of_calls_at_once_may_come_in_any_order() -> None:
    told = Told()
    other_way = [told.result(1), *told.summary(1), told.result(0), *told.summary(0)]
    log = told.log(*told.begun(), told.asked(), told.answered("looking"), *told.calls(), *other_way, *told.ended())
    assert differences(Told().plain(), log) == []


def test_how_often_a_question_was_asked_does_not_count() -> None:
    told = Told()
    again = told.asked(attempt=2, wait_seconds=3)
    results = [event for index in (0, 1) for event in (told.result(index, attempt=2), *told.summary(index, 2))]
    log = told.log(
        *told.begun(), told.asked(), told.failed(), again, told.answered("looking", attempt=2),
        *told.calls(attempt=2), *results, *told.ended(),
    )  # fmt: skip
    assert differences(Told().plain(), log) == []


def test_the_failure_that_ends_an_execution_counts() -> None:
    told, other = Told(), Told()
    log = told.log(*told.begun(), told.asked(), told.failed(), *told.ended("", "failed"))
    same = other.log(
        *other.begun(),
        other.asked(),
        other.failed(),
        other.asked(attempt=2),
        other.failed(2),
        *other.ended("", "failed"),
    )
    assert differences(log, same) == []
    assert differences(log, told.log(*told.begun(), told.asked(), *told.ended("", "failed"))) != []


@pytest.mark.parametrize("learned", [False, True])
def test_an_unsafe_call_may_be_unknown_in_one_of_them(learned: bool) -> None:
    expected, told = Told(), Told()
    tail: Sequence[e.Event] = [told.result(0), told.result(1, "who knows?", "unknown")]
    if learned:
        late = e.ToolCallOutcomeLearned(call_id=told.call_id(1), claim_id="c", outcome="ok", content="fine")
        tail = [*tail, late]
    log = told.log(*told.begun(), told.asked(), *told.calls(repeatable=False), *tail, *told.ended())
    well = [expected.result(0), expected.result(1), *expected.ended()]
    undisturbed = expected.log(*expected.begun(), expected.asked(), *expected.calls(repeatable=False), *well)
    assert differences(undisturbed, log) == []
    assert differences(log, undisturbed) == []


def test_what_was_asked_of_an_unknown_call_counts() -> None:
    told = [Told(), Told()]
    calls = [told[0].calls(repeatable=False), told[1].calls(repeatable=False, second="pods_delete")]
    logs = [
        one.log(*one.begun(), one.asked(), *asked, one.result(0), one.result(1, "", "unknown"), *one.ended())
        for one, asked in zip(told, calls, strict=True)
    ]
    (fault,) = differences(*logs)
    assert "pods_delete" in fault


def test_a_harmless_call_may_not() -> None:
    told = Told()
    (fault,) = differences(Told().plain(), told.plain(content="who knows?", outcome="unknown"))
    assert fault.startswith("stage 1, agent 1, row 3: {'status': 'failed', 'content': 'who knows?'")


@pytest.mark.parametrize(("to", "same"), [("b", True), ("c", False)])
def test_why_a_provider_was_left_does_not_count_but_for_which_one_does(to: str, same: bool) -> None:
    def left(told: Told, to: str, kind: str) -> SessionLog:
        fell_back = e.ProviderFellBack(
            execution_id=told.execution, from_provider="a", to_provider=to, kind=kind, error=f"because of {kind}"
        )
        return told.log(*told.begun(), told.asked(), fell_back, *told.ended())

    found = differences(left(Told(), "b", "credentials"), left(Told(), to, "circuit_open"))
    assert (found == []) is same


def test_what_is_missing_is_named() -> None:
    told, expected = Told(), Told()
    begun = [*told.begun(), told.asked()]
    undisturbed = expected.log(*expected.begun(), expected.asked(), expected.answered("looking"), *expected.ended(""))
    (fault,) = differences(undisturbed, told.log(*begun, *told.ended("")))
    assert fault.startswith(
        "stage 1, agent 1 lacks row 2: {'execution_id': 'stage 1, agent 1', 'event_type': 'llm_resp"
    )


def test_what_is_too_much_is_named() -> None:
    told = Told()
    log = told.plain()
    repeated = told.log(*[one.event for one in log.accepted if one.event], e.AlertRepeated(input_id="j", source="api"))
    (fault,) = differences(Told().plain(), repeated)
    assert fault.startswith("the session has one row too many, 2: ")


def test_another_end_is_named() -> None:
    told = Told()
    begun = [*told.begun(), told.asked(), told.answered("looking")]
    one, other = told.log(*begun, *told.ended("memory")), told.log(*begun, *told.ended("disk"))
    faults = differences(one, other)
    assert len(faults) == 2
    assert faults[0] == "the session, row 1: {'final_analysis': 'disk'} should be {'final_analysis': 'memory'}"


def test_the_same_question_has_another_id_in_each_run() -> None:
    def questioned(content: str) -> SessionLog:
        one = Told()
        asked = e.QuestionAsked(
            request_id=str(uuid4()),
            chat_id=str(uuid4()),
            message_id=str(uuid4()),
            stage_id=(reply := str(uuid4())),
            number=1,
            author="ann",
            content=content,
        )
        return one.log(*one.begun(), asked, e.StageStarted(stage_id=reply, index=2, name="Chat"))

    assert differences(questioned("Since when?"), questioned("Since when?")) == []
    (fault,) = differences(questioned("Since when?"), questioned("Is it over?"))
    assert "Is it over?" in fault
