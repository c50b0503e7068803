"""Sweeps: the ways in which somebody may die at an event of a log, and what must not be different afterwards."""

import os
from collections import Counter

from tarsy_contracts import events as e
from tarsy_testing.simulation.broker import BEGINNING
from tarsy_testing.simulation.investigation import SERVERS
from tarsy_testing.simulation.playing import Death, Moment, Played
from tarsy_testing.simulation.record import differences
from tarsy_verification.invariants import faults_of
from tarsy_verification.session_log import SessionLog

MOMENTS: tuple[Moment, ...] = ("before", "after")
TIMED_OUT = ("No result after", "no summary after")


def sampled[T](deaths: list[T], step: int = 4) -> list[T]:
    """Every fourth one: an odd number lies at each event, so that each kind is played at every fourth event.

    `step`: for those that are dear. It has no factor in common with the 15 at each event.
    TARSY_SWEEP=all plays all of them.
    """
    return deaths if os.environ.get("TARSY_SWEEP") == "all" else deaths[::step]


def deaths_at(event: int) -> list[Death]:
    """The deaths of everybody, in every way, at one event."""
    return [
        *(Death("orchestrator", moment, event, way) for moment in MOMENTS for way in ("forgotten", "remembered")),
        Death("orchestrator", "soon-after", event, "forgotten"),
        Death("orchestrator", "before", event, "delayed"),
        *(Death("orchestrator", moment, event, "frozen") for moment in MOMENTS),
        *(Death("tool-gateway", moment, event) for moment in MOMENTS),
        Death("tool-gateway", "soon-after", event, "doubled"),
        *(Death("summarizer", moment, event) for moment in MOMENTS),
        *(Death("kafka", moment, event) for moment in MOMENTS),
    ]


def faults(played: Played, undisturbed: Played, *deaths: Death) -> list[str]:
    """`undisturbed`: the same run in which nobody dies."""
    found = [*faults_of(played.log, played.runs, undisturbed.log), *played.complaints, *late_starts(played)]
    if played.struck[:1] != list(deaths[:1]):
        found.append("nobody died")
    found += [f"a deadline was used up: {text}" for text in used_up(played.log)]
    dead = {service for death in deaths for service in (death.service, death.dies_meanwhile)}
    if unknown(played.log) and "tool-gateway" not in dead:
        found.append("an outcome is unknown, and no tool gateway died")
    if all(death.way in ("forgotten", "remembered") and death.service == "orchestrator" for death in deaths):
        # Harmless, but a waste: whatever was reported is decided before anything is made.
        again = Counter(run.key for run in played.runs) - Counter(run.key for run in undisturbed.runs)
        found += [f"{key} ran again" for key in again]
    zombie = any(one.service == "orchestrator" and one.way == "frozen" and one.moment == "before" for one in deaths[:1])
    if zombie and not zombie_wrote(played.log):
        found.append("the zombie wrote nothing")
    return found


def record_faults(played: Played) -> list[str]:
    """Differences between the record of the session and what models and MCP servers received."""
    heard = [(one.provider, one.request) for one in played.heard]
    calls = [(one.call_id, one.tool, one.arguments) for one in played.starts]
    results = {tool.name: tool.says for tools in SERVERS.values() for tool in tools}
    return differences(played.log.accepted, heard, calls, results)


def zombie_wrote(log: SessionLog) -> bool:
    """Whether it wrote: all readers have dropped that."""
    return any(delivery.envelope.source == "orchestrator-1" for delivery in log.dropped)


def unknown(log: SessionLog) -> list[str]:
    return [event.call_id for event in log.events(e.ToolCallCompleted) if event.outcome == "unknown"]


def late_starts(played: Played) -> list[str]:
    """A tool that is not repeatable never starts when its call has ended."""
    ends = {
        record.event.call_id: (record.appended_at - BEGINNING).total_seconds()
        for record in played.log.accepted
        if isinstance(record.event, e.ToolCallCompleted)
    }
    late = [start for start in played.starts if not start.repeatable and start.at > ends[start.call_id]]
    return [f"a tool started {start.at - ends[start.call_id]:g} s after its call had ended" for start in late]


def used_up(log: SessionLog) -> list[str]:
    texts = [
        *(event.content for event in log.events(e.ToolCallCompleted)),
        *(event.error for event in log.events(e.SummaryFailed)),
    ]
    return [text for text in texts if text.startswith(TIMED_OUT)]


def still_open(log: SessionLog) -> set[str]:
    """Ids of stages, agents, questions, calls and summaries."""
    begun = {
        *(event.stage_id for event in log.events(e.StageStarted)),
        *(event.execution_id for event in log.events(e.ExecutionStarted)),
        *(event.llm_call_id for event in log.events(e.LlmCallRequested)),
        *(event.call_id for event in log.events(e.ToolCallRequested)),
        *(event.summary_id for event in log.events(e.SummaryRequested)),
    }
    return begun - {
        *(event.stage_id for event in log.events(e.StageCompleted)),
        *(event.execution_id for event in log.events(e.ExecutionCompleted)),
        *(event.llm_call_id for event in log.events(e.LlmCallCompleted)),
        *(event.llm_call_id for event in log.events(e.LlmCallFailed)),
        *(event.call_id for event in log.events(e.ToolCallCompleted)),
        *(event.summary_id for event in log.events(e.SummaryCompleted)),
        *(event.summary_id for event in log.events(e.SummaryFailed)),
    }
