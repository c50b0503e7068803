"""Reflection: a phase after the end that draws memories from a completed investigation. Pure.

The answer of the model is checked before it counts: a memory needs calls of this session that succeeded, and words
that no tool has written.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from tarsy_contracts import events as e
from tarsy_contracts.chain import ResolvedAgent
from tarsy_contracts.memory import MOST_CHARACTERS, MOST_LEARNED, Memory, MemoryScope, RecalledMemory
from tarsy_contracts.near_json import object_at
from tarsy_contracts.wire.ids import memory_id
from tarsy_session.memories import find_recall
from tarsy_session.phases.after_the_end import build_phase, has_completed
from tarsy_session.prompt_context.question import compose_investigated
from tarsy_session.prompts.memories import list_memories
from tarsy_session.prompts.reflection import KNOWN, NONE_KNOWN, REFLECT, REFLECTOR
from tarsy_session.prompts.roles import MARKS
from tarsy_session.state import AtRest, Execution, Investigating, Stage, ToolCallState
from tarsy_session.text import to_one_line

REFLECTION = "reflection"
REASON_CHARACTERS = 500
COPIED_CHARACTERS = 120
"""Length of a run of characters that counts as a copy where a result has it, too."""
SCOPES = ("alert_type", "cluster", "namespace", "workload")


class Lesson(BaseModel):
    model_config = ConfigDict(extra="ignore")

    text: str = Field(min_length=1, max_length=MOST_CHARACTERS)
    category: str = "semantic"
    valence: str = "neutral"
    applies_to: tuple[str, ...] = ()
    calls: tuple[int, ...] = ()


class Verdict(BaseModel):
    """`memory`: its number in the prompt."""

    memory: int
    reason: str = ""


class Lessons(BaseModel):
    learned: tuple[Lesson, ...] = Field((), max_length=MOST_LEARNED)
    reinforced: tuple[Verdict, ...] = ()
    deprecated: tuple[Verdict, ...] = ()


def _read(_state: Investigating, _execution: Execution, answer: str) -> JsonValue:
    """Also from between fences and words of the model."""
    found = object_at(answer, max(answer.find("{"), 0))
    if found is None:
        raise ValueError("it has no JSON object")
    try:
        return Lessons.model_validate(found[0]).model_dump(mode="json")
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        raise ValueError(f"{first['msg']} at {'/'.join(map(str, first['loc']))}") from None


def _conclude(state: Investigating, read: JsonValue) -> tuple[Sequence[e.Event], JsonValue]:
    """The result has no text of a memory: it would stay when that is erased."""
    lessons, requested = Lessons.model_validate(read), state.life.requested
    assert requested is not None
    origin = _find_origin(state)
    refusals = [_find_refusal(state, one) for one in lessons.learned]
    learned = [
        e.MemoryLearned(
            memory_id=memory_id(requested.phase_id, number),
            phase_id=requested.phase_id,
            memory=_to_memory(one, origin),
            origin=origin,
            call_ids=tuple(call.requested.call_id for call in _evidence(state, one)),
        )
        for number, (one, refusal) in enumerate(zip(lessons.learned, refusals, strict=True), 1)
        if not refusal
    ]
    agreed = list(_judge(state, lessons.reinforced, e.MemoryReinforced, requested.phase_id))
    opposed = list(_judge(state, lessons.deprecated, e.MemoryDeprecated, requested.phase_id))
    result: dict[str, JsonValue] = {
        "learned": len(learned),
        "reinforced": len(agreed),
        "deprecated": len(opposed),
        "refused": [refusal for refusal in refusals if refusal],
    }
    return [*learned, *agreed, *opposed], result


def _find_refusal(state: Investigating, lesson: Lesson) -> str:
    if not _evidence(state, lesson):
        return "it names no call of this session that succeeded"
    if any(_copies(lesson.text, call) for call in state.calls.values()):
        return "it copies the text of a result"
    return ""


def _evidence(state: Investigating, lesson: Lesson) -> list[ToolCallState]:
    return [
        call
        for call in state.calls.values()
        if call.requested.number in lesson.calls
        if call.requested.number and call.completed is not None and call.completed.outcome == "ok"
    ]


def _copies(text: str, call: ToolCallState) -> bool:
    """Looks at each place where a copy could begin."""
    if call.completed is None:
        return False
    words, content = " ".join(text.split()), " ".join(call.completed.content.split())
    last = len(words) - COPIED_CHARACTERS
    return any(words[start : start + COPIED_CHARACTERS] in content for start in range(last + 1))


def _find_origin(state: Investigating) -> MemoryScope:
    alert = state.started.alert
    return MemoryScope(
        alert_type=alert.alert_type,
        cluster=alert.cluster or "",
        namespace=alert.namespace or "",
        workload=alert.workload or "",
        labels=alert.labels,
    )


def _to_memory(lesson: Lesson, origin: MemoryScope) -> Memory:
    """Its scope has facts of the alert, not words of the model."""
    scope = origin.model_copy(update={name: "" for name in SCOPES if name not in lesson.applies_to} | {"labels": {}})
    return Memory(text=lesson.text.strip(), category=lesson.category, valence=lesson.valence, scope=scope)


def _judge[V: (e.MemoryReinforced, e.MemoryDeprecated)](
    state: Investigating, verdicts: Sequence[Verdict], kind: type[V], phase_id: str
) -> Iterator[V]:
    """A memory that the reflection was not shown is nobody's."""
    known = dict(enumerate(find_recall(state).memories, 1))
    judged: dict[str, tuple[RecalledMemory, Verdict]] = {}
    for verdict in verdicts:
        if (one := known.get(verdict.memory)) is not None:
            judged.setdefault(one.memory_id, (one, verdict))
    for one, verdict in judged.values():
        yield kind(
            memory_id=one.memory_id,
            learned_in=one.session_id,
            phase_id=phase_id,
            reason=to_one_line(verdict.reason, REASON_CHARACTERS),
        )


def _instruct(agent: ResolvedAgent, tools: Sequence[e.OfferedTool], limits: Sequence[str]) -> Iterator[str]:
    yield REFLECTOR.substitute(name=agent.name).strip()
    yield MARKS
    if agent.custom_instructions.strip():
        yield agent.custom_instructions.strip()


def _task(state: Investigating, stage: Stage, at: datetime, tools: Sequence[e.OfferedTool]) -> str:
    reflector, memories = state.started.chain.reflector, find_recall(state).memories
    assert reflector is not None
    known = KNOWN.substitute(memories=list_memories(memories)) if memories else NONE_KNOWN
    return "\n\n".join((compose_investigated(state, reflector), known, REFLECT))


def _is_due(state: AtRest) -> bool:
    """There is something to learn from: an analysis, and results that it rests on."""
    if state.started is None or state.started.chain.reflector is None or has_completed(state, REFLECTION):
        return False
    has_results = any(call.requested.number and call.completed is not None for call in state.calls.values())
    return isinstance(state.ended, e.SessionCompleted) and has_results


PHASE = build_phase(
    REFLECTION,
    stage="Reflection",
    stage_type=REFLECTION,
    agent=lambda chain: chain.reflector,
    instruct=_instruct,
    task=_task,
    read=_read,
    conclude=_conclude,
    seconds=lambda limits: limits.reply_seconds,
    due=_is_due,
)
