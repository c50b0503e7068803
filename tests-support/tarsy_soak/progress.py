"""Progress of a soak: the longest time in which no session was decided, claimed or ended while some waited. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tarsy_contracts.events import SESSION_ENDINGS
from tarsy_verification.session_log import SessionLog

MOST_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Interval:
    """Seconds since 1970: the broker and the soak have the clock of the same machine."""

    begin: float
    end: float

    @property
    def seconds(self) -> float:
        return self.end - self.begin


@dataclass(frozen=True, slots=True)
class ReadyStatement:
    """Somebody said at `at` that it is ready."""

    at: float
    who: str


def gaps(
    logs: Mapping[str, SessionLog], waiting: Sequence[str], outages: Sequence[Interval], until: float
) -> list[Interval]:
    """Times without an event of any session, in which one of `waiting` was open, the longest first.

    They end where Kafka goes away, and begin anew when it is back: until then nobody can do better.
    """
    events = {one.appended_at.timestamp() for log in logs.values() for one in log.accepted}
    waits = [_open(logs[one], until) for one in waiting if one in logs and logs[one].accepted]
    spans = [Interval(*pair) for pair in pairwise(sorted({*events, *(one.end for one in outages), until}))]
    kept = [part for span in spans for part in _before_outage(span, outages)]
    found = [gap for gap in kept if any(one.begin < gap.end and gap.begin < one.end for one in waits)]
    return sorted(found, key=lambda gap: -gap.seconds)


def progress_faults(found: Sequence[Interval], answers: Sequence[ReadyStatement]) -> Iterator[str]:
    """Gaps that are too long, and who said in one of them that it is ready."""
    for gap in found:
        if gap.seconds > MOST_SECONDS:
            yield f"no session was decided, claimed or ended for {gap.seconds:.0f} s while some waited"
            for who in sorted({one.who for one in answers if gap.begin + MOST_SECONDS < one.at < gap.end}):
                yield f"{who} said that it is ready though nothing went on for more than {MOST_SECONDS:g} s"


def _open(log: SessionLog, until: float) -> Interval:
    """From the first event of an investigation to its end."""
    ends = [one.appended_at.timestamp() for one in log.accepted if one.envelope.type in SESSION_ENDINGS]
    return Interval(log.accepted[0].appended_at.timestamp(), ends[0] if ends else until)


def _before_outage(span: Interval, outages: Sequence[Interval]) -> Iterator[Interval]:
    end = min([span.end, *(one.begin for one in outages if one.begin < span.end and one.end > span.begin)])
    if end > span.begin:
        yield Interval(span.begin, end)
