"""Decisions on the alerts of a session: the first, the same one again, and the word that it is over. Pure."""

from collections.abc import Sequence

from tarsy_contracts import events as e
from tarsy_contracts.calendar import find_moment
from tarsy_contracts.chain import ResolvedChain
from tarsy_contracts.messages import inputs as i
from tarsy_session.decision_input import DecisionInput
from tarsy_session.state import AtRest, Investigating, NotStarted

MOST_MEMBERS = 1_000
NEWS_LIMIT = 8_000
"""Characters of all news of a group in one event. An agent asks its tools for more."""
NEVER_BEGAN = "The alert was resolved before the investigation began."


def start(
    state: NotStarted, received: i.AlertReceived, chain: ResolvedChain, context: DecisionInput
) -> e.SessionStarted:
    calendar = None if chain.calendar is None else chain.calendar.for_labels(received.alert.labels)
    return e.SessionStarted(
        input_id=context.input_id,
        alert=received.alert,
        chain=chain.model_copy(update={"calendar": calendar}),
        labels=() if calendar is None else find_moment(calendar, context.at).labels,
        follows=state.deleted_by,
        deduplication_key="" if received.deduplication is None else received.deduplication.key,
        members=tuple(member.id for member in received.members[:MOST_MEMBERS]),
        starts_at=received.starts_at,
    )


def repeat(
    session_id: str, state: Investigating | AtRest, received: i.AlertReceived, context: DecisionInput
) -> list[e.Event]:
    """One event, also for several alerts that are decided together. An input that came twice counts once.

    An earlier owner may have decided the first ones, even if it did not decide the last one.
    """
    came = {one.input_id: one.alert_id for one in context.repeats if one.offset > state.last_decided_offset}
    came[context.input_id] = context.alert_id
    counted = {input_id: id or session_id for input_id, id in came.items() if input_id not in state.alerts.recent}
    if not counted:
        return []
    count = len(counted)
    capacity = max(MOST_MEMBERS - len(state.alerts.members), 0)
    fresh = [member for member in received.members if member.id not in state.alerts.members][:capacity]
    repeated = e.AlertRepeated(
        input_id=list(counted)[-1],
        source=received.alert.source,
        count=count,
        total=state.alerts.count + count,
        joined=tuple(id for id in dict.fromkeys(counted.values()) if id != session_id),
        members=tuple(member.id for member in fresh),
        news=_join_news(fresh),
        starts_at=received.starts_at,
    )
    return [repeated]


def _join_news(fresh: Sequence[i.GroupMember]) -> str:
    text = "\n\n".join(member.text for member in fresh)
    return text if len(text) <= NEWS_LIMIT else f"{text[: NEWS_LIMIT - 1]}…"


def resolve(
    session_id: str, state: Investigating | AtRest, reported: i.AlertResolutionReported, context: DecisionInput
) -> list[e.Event]:
    """Notes the first resolution, and none of an earlier episode than the one that came last."""
    if state.alerts.resolved is not None or not _is_end_of_last_episode(session_id, state, reported, context):
        return []
    return [e.AlertResolved(input_id=context.input_id, source=reported.source, ends_at=reported.ends_at)]


def _is_end_of_last_episode(
    session_id: str, state: Investigating | AtRest, reported: i.AlertResolutionReported, context: DecisionInput
) -> bool:
    """Whether the episode that came last is the one that is over.

    A sender that does not know the start means the last episode that began before the end.
    """
    ended = context.alert_id or session_id
    if reported.whole_group or ended == (state.alerts.episode or session_id):
        return True
    if not reported.start_unknown:
        return False
    first = None if state.started is None else state.started.starts_at
    began, ends_at = state.alerts.starts_at or first, reported.ends_at
    return began is None or ends_at is None or began <= ends_at


def resolve_while_open(
    session_id: str, state: Investigating, reported: i.AlertResolutionReported, context: DecisionInput
) -> list[e.Event]:
    """A session that waits for its turn leaves it to alerts that still fire, where its chain says so."""
    resolved = resolve(session_id, state, reported, context)
    waits = not state.stages and state.ended is None and state.cancelled is None
    if not resolved or not waits or not state.started.chain.cancel_resolved:
        return resolved
    return [*resolved, e.SessionCancelled(author=reported.source, reason=NEVER_BEGAN)]
