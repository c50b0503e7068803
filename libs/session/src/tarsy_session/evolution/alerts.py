"""Evolution of the alerts of a session: the same one comes again, or is over. Pure."""

from dataclasses import replace

from tarsy_contracts import events as e
from tarsy_contracts.events.recorded import RecordedEvent
from tarsy_session.state import AlertNews, AtRest, Investigating

INPUTS_KEPT = 50
MOST_NEWS = 20
"""Changes that agents of one session are told: an alert that flaps for hours fills no conversation."""


def apply_repetition[S: Investigating | AtRest](state: S, event: e.AlertRepeated, record: RecordedEvent) -> S:
    """An alert of another episode than the one that is over fires again."""
    known = state.alerts
    episode = event.joined[-1] if event.joined else ""
    fires_again = known.resolved is not None and episode != known.episode
    alerts = replace(
        known,
        count=max(known.count + event.count, event.total),
        recent=(*known.recent, event.input_id)[-INPUTS_KEPT:],
        episode=episode,
        resolved=None if fires_again else known.resolved,
        members=known.members.union(event.members),
        starts_at=event.starts_at or known.starts_at,
    )
    if fires_again or event.news:
        alerts = replace(alerts, news=_with_news(state, event, record))
    return replace(state, alerts=alerts)


def apply_resolution[S: Investigating | AtRest](state: S, event: e.AlertResolved, record: RecordedEvent) -> S:
    """Running agents read it with their next prompt; later agents read it with the alert."""
    if state.alerts.resolved is not None:
        return state
    resolved = _make_news(state, event, record)
    return replace(state, alerts=replace(state.alerts, resolved=resolved, news=_with_news(state, event, record)))


def _with_news(
    state: Investigating | AtRest, event: e.AlertResolved | e.AlertRepeated, record: RecordedEvent
) -> tuple[AlertNews, ...]:
    """Adds the event at the end. The news of before stays as it is: conversations begin with it."""
    news = state.alerts.news
    return news if len(news) >= MOST_NEWS else (*news, _make_news(state, event, record))


def _make_news(
    state: Investigating | AtRest, event: e.AlertResolved | e.AlertRepeated, record: RecordedEvent
) -> AlertNews:
    running = [one for one in state.executions.values() if one.open] if isinstance(state, Investigating) else []
    return AlertNews(event, record.appended_at, {one.id: one.turns_begun for one in running})
