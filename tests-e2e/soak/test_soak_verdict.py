"""The verdict of a soak finds what it is there for: each fault is planted in findings that are well otherwise."""

from dataclasses import replace

from tarsy_contracts import events as e
from tarsy_contracts.api.chat import ChatMessageSent
from tarsy_contracts.events.heads import Span
from tarsy_soak.progress import Interval
from tarsy_soak.verdict import Findings, faults_of_soak, report
from tarsy_testing.story.session_logs import SESSION, answer, log_of
from tarsy_verification.invariants import ToolRun
from tarsy_verification.session_log import SessionLog

DELETE = e.ToolCallRequested(
    call_id="c1",
    execution_id="x",
    llm_call_id="l1",
    server="kubernetes",
    tool="pods_delete",
    arguments={"name": "checkout"},
    repeatable=False,
    timeout_seconds=60,
)
RUN = ToolRun("pods_delete", {"name": "checkout"})
ENDED = e.SessionCompleted(final_analysis="the tax table")
LOG = log_of(answer("l1"), DELETE, ENDED)
GOOD = Findings(accepted=[SESSION], refused=0, logs={SESSION: LOG}, runs={SESSION: [RUN]}, shown={SESSION: "completed"})


def test_all_is_well() -> None:
    assert faults_of_soak(GOOD) == []
    assert list(report(GOOD, []))[-1].startswith("Every accepted alert and question ended once")


def test_an_accepted_alert_without_a_session_is_lost() -> None:
    (fault,) = faults_of_soak(replace(GOOD, logs={}))
    assert "no session began" in fault
    assert faults_of_soak(replace(GOOD, logs={SESSION: SessionLog()})) == [fault]


def test_a_session_that_did_not_end_is_found() -> None:
    log = log_of(answer("l1"), DELETE)
    assert any(
        "ended with tool_call.requested" in fault for fault in faults_of_soak(replace(GOOD, logs={SESSION: log}))
    )


def test_a_session_that_ended_as_it_should_not_is_found() -> None:
    log = log_of(answer("l1"), e.SessionFailed(error="no result after 60 seconds"))
    found = faults_of_soak(replace(GOOD, logs={SESSION: log}, shown={SESSION: "failed"}, runs={}))
    assert found == [f"{SESSION}: ended with session.failed: no result after 60 seconds"]


def test_the_fault_of_a_session_names_its_calls_without_a_result() -> None:
    gone = e.ToolCallCompleted(call_id="c1", claim_id="k", outcome="unknown", content="the tool gateway ended")
    log = log_of(answer("l1"), DELETE, gone, e.SessionFailed(error="no evidence"))
    (fault,) = faults_of_soak(replace(GOOD, logs={SESSION: log}, shown={SESSION: "failed"}))
    assert fault.endswith("no evidence; pods_delete ended unknown: the tool gateway ended")


def test_a_call_that_nobody_answered_is_found_also_where_the_agent_did_without() -> None:
    lost = e.ToolCallCompleted(call_id="c1", outcome="unavailable", content="No result after 60 seconds.")
    refused = lost.model_copy(update={"claim_id": "k", "content": "its server cannot be reached"})
    (fault,) = faults_of_soak(replace(GOOD, logs={SESSION: log_of(answer("l1"), DELETE, lost, ENDED)}))
    assert fault == f"{SESSION}: nobody answered pods_delete: No result after 60 seconds."
    assert faults_of_soak(replace(GOOD, logs={SESSION: log_of(answer("l1"), DELETE, refused, ENDED)})) == []


def test_a_tool_that_ran_twice_is_found() -> None:
    (fault,) = faults_of_soak(replace(GOOD, runs={SESSION: [RUN, RUN]}))
    assert "asked for 1 times and ran 2 times" in fault


def test_an_end_that_people_do_not_see_is_found() -> None:
    (fault,) = faults_of_soak(replace(GOOD, shown={SESSION: "in_progress"}))
    assert fault == f"{SESSION}: the log ended with session.completed, and the API shows in_progress"


REOPENED = e.SessionReopened(request_id="r", spans=(Span(first=1, last=3),))
REPLIED = e.ReplyCompleted(message_id="m", stage_id="s", status="completed")
QUESTION = ChatMessageSent(session_id=SESSION, chat_id="c", message_id="m", stage_id="s", request_id="r", accepted=True)


def asked(*reply: e.Event) -> Findings:
    """A question was accepted, and this is on the log of it."""
    return replace(GOOD, questions=[QUESTION], logs={SESSION: log_of(answer("l1"), DELETE, ENDED, *reply)})


def test_a_question_that_was_answered_leaves_the_end_of_its_session_as_it_was() -> None:
    assert faults_of_soak(asked(REOPENED, answer("l2"), REPLIED)) == []


def test_an_accepted_question_without_a_reply_or_with_one_that_failed_is_found() -> None:
    failed = e.ReplyCompleted(message_id="m", stage_id="s", status="failed", error="no result")
    assert faults_of_soak(asked()) == [f"{SESSION}: the reply to question m ended with []"]
    assert faults_of_soak(asked(REOPENED, failed)) == [f"{SESSION}: the reply to question m ended with ['failed']"]


def test_a_process_that_stayed_down_grew_or_held_its_loop_is_found() -> None:
    findings = replace(GOOD, unready=["ingest 1 is starting"], memory=["timeline grew"], held=["ingest held its loop"])
    assert faults_of_soak(findings) == [
        "not ready at the end: ingest 1 is starting",
        "timeline grew",
        "ingest held its loop",
    ]


def test_a_tormented_session_may_fail_and_must_end() -> None:
    torment = {SESSION: "one-word"}
    failed, open_still = log_of(answer("l1"), e.SessionFailed(error="too long")), log_of(answer("l1"))
    hurt = replace(GOOD, accepted=[], tormented=torment, runs={}, shown={SESSION: "failed"})
    assert faults_of_soak(replace(hurt, logs={SESSION: failed})) == []
    (fault,) = faults_of_soak(replace(hurt, logs={SESSION: open_still}))
    assert fault.startswith(f"{SESSION} (one-word): each life should end once")
    (fault,) = faults_of_soak(replace(hurt, logs={}))
    assert fault == f"{SESSION} (one-word): its alert was acknowledged, and no session began"
    assert "tormented: one-word session.failed after 0 s" in report(replace(hurt, logs={SESSION: failed}), [])


def test_a_service_that_was_started_again_though_nobody_killed_it_is_found() -> None:
    well = replace(GOOD, restarts={"ingest": 1, "timeline": 2}, killed={"ingest": 1, "timeline": 2})
    assert faults_of_soak(well) == []
    assert faults_of_soak(replace(well, restarts={"ingest": 1, "timeline": 5})) == [
        "timeline was started again 5 times, and the soak killed it 2 times"
    ]


def test_a_start_that_ends_as_kafka_is_away_for_long_is_no_fault_of_a_service_that_was_killed() -> None:
    """One start for 30 seconds of an outage."""
    long, short = Interval(0.0, 31.0), Interval(40.0, 69.0)
    killed = replace(GOOD, restarts={"timeline": 2}, killed={"timeline": 1})
    assert faults_of_soak(replace(killed, outages=[short, long])) == []
    assert faults_of_soak(replace(killed, outages=[short])) != []
    assert faults_of_soak(replace(killed, restarts={"timeline": 3}, outages=[long])) != []
    assert faults_of_soak(replace(GOOD, restarts={"timeline": 1}, outages=[long])) != []


def test_gaps_and_leaks_are_faults() -> None:
    assert faults_of_soak(replace(GOOD, progress=["nothing went on"], leaks=["in a log"])) == [
        "nothing went on",
        "in a log",
    ]


def test_many_faults_are_counted_and_not_all_shown() -> None:
    findings = replace(GOOD, memory=[f"fault {n}" for n in range(50)])
    lines = list(report(findings, faults_of_soak(findings)))
    assert lines[-2:] == ["and 30 more faults", "50 faults."]


def test_poison_among_its_records_is_no_fault_of_a_session() -> None:
    log = log_of(answer("l1"), DELETE, ENDED)
    stranger = log.written[0]
    envelope = replace(stranger.envelope, source="stranger")
    log.written.append(replace(stranger, envelope=envelope, value=b"poison"))
    assert faults_of_soak(replace(GOOD, logs={SESSION: log})) == []
