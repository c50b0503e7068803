"""The sweep: at every event of an investigation somebody dies, and it ends as if nobody had.

In one process and in virtual time (simulation/); real processes do the same in test_nothing_is_lost.py. What was
appended in one batch has the number of its first event. Any run alone, to look at it closely:

    pytest tests-e2e/test_sweep_in_process.py -k orchestrator-after-17-forgotten
"""

from dataclasses import replace
from datetime import timedelta
from functools import cache
from random import Random

import pytest

from tarsy_contracts import events as e
from tarsy_testing.simulation.broker import OutageKind
from tarsy_testing.simulation.playing import Death, Played, Service, play
from tarsy_testing.simulation.sweeping import MOMENTS, deaths_at, faults, record_faults, sampled, still_open, unknown
from tarsy_verification.invariants import faults_of

TWICE = 60
TAKEOVERS = 12
RECORD_EVERY = 3
"""Deaths at every third event: then the record is compared with what models and MCP servers received."""
SOON = 4
"""Batches of the log."""
SEED = 5
OUTAGE_KINDS: tuple[OutageKind, ...] = ("refusing", "silent", "unacknowledged")
OUTAGE_SECONDS = (5.0, 9.0, 12.0, 30.0, 60.0)
FROZEN_ORCHESTRATOR_SECONDS = 40.0
DYING: tuple[Service, ...] = ("tool-gateway", "orchestrator", "summarizer")


@cache
def undisturbed() -> Played:
    return play()


def every_death() -> list[Death]:
    """Of events that were appended in one batch one stands for all: nothing can happen between them."""
    return sampled([death for batch in undisturbed().batches for death in deaths_at(batch[0])])


def two_deaths() -> list[tuple[Death, Death]]:
    """A seeded sample. The second follows soon, when what the first one left undone is not done yet."""
    random, batches = Random(SEED), undisturbed().batches
    pairs = []
    for _ in range(TWICE):
        first = random.randrange(len(batches) - SOON)
        second = first + random.randint(1, SOON)
        pairs.append((random.choice(deaths_at(batches[first][0])), random.choice(deaths_at(batches[second][0]))))
    return pairs


def outages() -> list[Death]:
    """At every event one before and one after it was appended: kinds and lengths are a seeded sample."""
    random = Random(SEED)
    deaths = [
        Death("kafka", moment, batch[0], random.choice(OUTAGE_KINDS), random.choice(OUTAGE_SECONDS))
        for batch in undisturbed().batches
        for moment in MOMENTS
    ]
    return sampled(deaths, 3)


def outages_in_which_somebody_dies() -> list[Death]:
    random = Random(SEED)
    deaths = [
        Death("kafka", "after", batch[0], random.choice(OUTAGE_KINDS), random.choice(OUTAGE_SECONDS), dying)
        for batch, dying in zip(undisturbed().batches[::2], DYING * len(undisturbed().batches), strict=False)
    ]
    return sampled(deaths, 2)


def freezes() -> list[Death]:
    """Workers wake when others have their calls; an orchestrator wakes, and nobody has taken its place."""
    firsts = [batch[0] for batch in undisturbed().batches]
    workers = [Death("tool-gateway", "before", event, "frozen") for event in firsts]
    alone = FROZEN_ORCHESTRATOR_SECONDS
    return sampled(workers + [Death("orchestrator", "after", event, "alone", alone) for event in firsts[::2]], 2)


def takeovers() -> list[Death]:
    """Somebody new reads every topic from its beginning, at a seeded sample of events."""
    return Random(SEED).sample([death for death in every_death() if death.way != "forgotten"], TAKEOVERS)


@pytest.mark.parametrize("death", takeovers(), ids=str)
def test_strange_records_in_the_topics_that_a_new_reader_begins_with_change_nothing(death: Death) -> None:
    assert faults(play(death, strange=True), undisturbed(), death) == []


def test_everything_happens_in_the_investigation_that_can_be_lost() -> None:
    played = undisturbed()
    log = played.log
    assert faults_of(log, played.runs, log) + played.complaints == []
    stages = [(stage.stage_type, stage.expected_agent_count) for stage in log.events(e.StageStarted)]
    assert stages == [("investigation", 2), ("synthesis", 1), ("investigation", 1), ("exec_summary", 1)]
    assert {agent.controller for agent in log.events(e.ExecutionStarted)} == {
        "function_calling",
        "react",
        "single_shot",
    }
    assert [call.tool for call in log.events(e.ToolCallRequested) if not call.repeatable] == [
        "pods_delete",
        "rollout_restart",
    ]
    assert [call.purpose for call in log.events(e.ToolCallRequested)].count("runbook") == 1
    stored = [call.stored is not None for call in log.events(e.ToolCallCompleted) if call.size > 300]
    assert sorted(stored) == [False, True]
    assert len(log.events(e.SummaryCompleted)) == 2
    assert len(log.events(e.ProviderFellBack)) == 1
    assert [asked.rate_limited for asked in log.events(e.LlmCallRequested)].count(True) == 1
    assert log.events(e.SessionCompleted)[0].executive_summary
    assert sorted(number for batch in played.batches for number in batch) == list(range(1, len(log.accepted) + 1))


def test_the_record_is_what_models_and_mcp_servers_received() -> None:
    assert record_faults(undisturbed()) == []
    assert {one.request.agent for one in undisturbed().heard} == {
        *("Pods", "Events", "SynthesisAgent", "Fixer", "ExecSummaryAgent", "Summarizer")
    }


def test_a_record_that_differs_in_a_word_or_an_argument_is_noticed() -> None:
    played = undisturbed()
    heard, start = played.heard[0], played.starts[0]
    said = heard.request.conversation.model_copy(update={"system": heard.request.conversation.system + " "})
    other = replace(heard, request=heard.request.model_copy(update={"conversation": said}))
    assert len(record_faults(replace(played, heard=[other, *played.heard[1:]]))) == 2
    assert len(record_faults(replace(played, starts=[replace(start, arguments={"other": 1})]))) == 1


def test_the_same_seed_plays_the_same_run_and_another_seed_another() -> None:
    ids = [record.envelope.id for record in undisturbed().log.accepted]
    death = Death("tool-gateway", "after", 31)
    assert [record.envelope.id for record in play().log.accepted] == ids
    assert play(death).log.accepted == play(death).log.accepted
    assert [record.envelope.id for record in play(seed=2).log.accepted] != ids


@pytest.mark.parametrize("death", every_death(), ids=str)
def test_whoever_dies_at_whichever_event_nothing_is_lost(death: Death) -> None:
    played = play(death)
    assert faults(played, undisturbed(), death) == []
    if death.event % RECORD_EVERY == 0:
        assert record_faults(played) == []


@pytest.mark.parametrize("number", range(0, len(undisturbed().batches), 3))
def test_an_owner_that_runs_by_another_configuration_goes_on_with_the_plan_on_the_log(number: int) -> None:
    death = Death("orchestrator", "after", undisturbed().batches[number][0], "forgotten")
    assert faults(play(death, reconfigured=True), undisturbed(), death) == []


def test_an_owner_that_runs_by_another_configuration_plans_what_is_not_on_the_log_yet_by_that() -> None:
    death = Death("orchestrator", "before", 1, "forgotten")
    played = play(death, reconfigured=True)
    assert [len(started.chain.stages) for started in played.log.events(e.SessionStarted)] == [1]
    assert faults(played, undisturbed(), death) != []


@pytest.mark.parametrize("deaths", two_deaths(), ids=lambda deaths: "+".join(map(str, deaths)))
def test_whoever_dies_after_another_has_died_nothing_is_lost(deaths: tuple[Death, Death]) -> None:
    assert faults(play(*deaths), undisturbed(), *deaths) == []


@pytest.mark.parametrize("outage", outages(), ids=str)
def test_whenever_kafka_is_away_for_a_while_nobody_is_taken_for_dead_and_no_time_is_up(outage: Death) -> None:
    assert faults(play(outage), undisturbed(), outage) == []


@pytest.mark.parametrize("outage", outages_in_which_somebody_dies(), ids=str)
def test_whoever_dies_while_kafka_is_away_nothing_is_lost(outage: Death) -> None:
    assert faults(play(outage), undisturbed(), outage) == []


@pytest.mark.parametrize("freeze", freezes(), ids=str)
def test_whoever_sleeps_and_wakes_starts_nothing_that_has_ended(freeze: Death) -> None:
    assert faults(play(freeze), undisturbed(), freeze) == []


def cancellations() -> list[tuple[int, Death | None]]:
    """When somebody cancels, and who dies of it. Not with the last events: what has ended cannot be cancelled."""
    events = [batch[0] for batch in undisturbed().batches[:-1]]
    mourned: list[tuple[int, Death | None]] = []
    for event in events:
        mourned += [(event, None), (event, Death("orchestrator", "soon-after", event, "forgotten"))]
        mourned += [(event, Death("tool-gateway", "soon-after", event))]
    return sampled(mourned)


@pytest.mark.parametrize(("event", "death"), cancellations(), ids=str)
def test_whenever_somebody_cancels_everything_is_closed_within_two_seconds(event: int, death: Death | None) -> None:
    played = play(*([death] if death else []), cancelled_at=event)
    log = played.log
    assert [*faults_of(log, played.runs, None), *played.complaints] == []
    assert log.types[-1] == "session.cancelled"
    assert still_open(log) == set()
    accepted = next(record for record in log.accepted if isinstance(record.event, e.RequestAccepted))
    assert log.accepted[-1].appended_at - accepted.appended_at <= timedelta(seconds=2)


def poisonings() -> list[tuple[int, Death | None]]:
    """From when on nothing can be decided, and who dies of it: of owners, as they know who is set aside."""
    events = [batch[0] for batch in undisturbed().batches[:-1]]
    alone: list[tuple[int, Death | None]] = [(event, None) for event in (0, *events)]
    return sampled([*alone, *((event, Death("orchestrator", "after", event, "forgotten")) for event in events[::2])], 3)


@pytest.mark.parametrize(("event", "death"), poisonings(), ids=str)
def test_a_session_that_cannot_be_decided_is_set_aside_and_comes_back_whole(event: int, death: Death | None) -> None:
    played = play(*([death] if death else []), poisoned_from=event)
    log = played.log
    assert [*faults_of(log, played.runs, None), *played.complaints] == []
    assert log.types[-1] == "session.completed"
    assert still_open(log) == set()
    assert log.types.count("session.released") == (0 if event == 0 else 1), "what never began has no record"
    destructive = [run.tool for run in played.runs if run.tool in ("pods_delete", "rollout_restart")]
    assert sorted(destructive) == ["pods_delete", "rollout_restart"]


@pytest.mark.parametrize(("event", "death"), poisonings()[-TAKEOVERS:], ids=str)
def test_strange_records_bring_no_session_back_and_set_none_aside(event: int, death: Death | None) -> None:
    played = play(*([death] if death else []), poisoned_from=event, strange=True)
    assert [*faults_of(played.log, played.runs, None), *played.complaints] == []
    assert (played.log.types[-1], played.log.types.count("session.released")) == ("session.completed", 1)


def test_a_tool_gateway_that_dies_while_a_destructive_tool_runs_leaves_an_unknown_outcome() -> None:
    """So that the sweep is known to have been there."""
    log = undisturbed().log
    call = next(one.call_id for one in log.events(e.ToolCallRequested) if one.tool == "pods_delete")
    started = next(
        record.number
        for record in log.accepted
        if isinstance(record.event, e.ToolCallStarted) and record.event.call_id == call
    )
    played = play(Death("tool-gateway", "soon-after", started))
    assert unknown(played.log) == [call]
    assert [run.tool for run in played.runs].count("pods_delete") == 1
