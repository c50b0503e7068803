"""A gateway that holds few chains and asks about the others accepts what a reader of everything accepts.

The timeline is modelled: it has projected some part of the log, before or behind the gateway, and says so.
"""

import random
from dataclasses import dataclass

from tarsy_bus.acceptance import ChainLink, ChainTracker, LastAccepted
from tarsy_websocket_gateway.log_chains import MOST_WAITING_BYTES, LogChains

SESSIONS = "abcd"


@dataclass(frozen=True)
class Line:
    at: ChainLink
    value: bytes | None = b"x"

    def mark(self) -> ChainLink:
        return self.at


def hostile_log(drawn: random.Random, length: int) -> list[ChainLink]:
    """Several writers, each with its own idea of where the sessions stand; events are written twice, too."""
    log: list[ChainLink] = []
    beliefs: list[dict[str, LastAccepted]] = [{}, {}, {}]
    while len(log) < length:
        writer, session_id = drawn.choice(beliefs), drawn.choice(SESSIONS)
        if drawn.random() < 0.3:
            chains = ChainTracker()
            for mark in log:
                chains.accept(mark)
            writer.update({one: last for one in SESSIONS if (last := chains.last(one))})
        if log and drawn.random() < 0.15:
            again = drawn.choice(log)
            log.append(ChainLink(again.session_id, again.type, again.event_id, again.previous, again.number, len(log)))
            continue
        for _ in range(drawn.randint(1, 3)):
            last = writer.get(session_id)
            type = "session.started" if last is None else "e"
            number, previous = (last.number + 1, last.event_id) if last else (1, None)
            mark = ChainLink(session_id, type, f"{len(log)}", previous, number, len(log))
            log.append(mark)
            writer[session_id] = LastAccepted(mark.event_id, number)
    return log


def state_at(log: list[ChainLink], position: int) -> dict[str, LastAccepted]:
    chains = ChainTracker()
    for mark in log[:position]:
        chains.accept(mark)
    return {one: last for one in SESSIONS if (last := chains.last(one))}


def shown(log: list[ChainLink], drawn: random.Random, ahead: int) -> tuple[int, list[ChainLink], LogChains[Line]]:
    """Where the gateway began, what it accepted, and what it knows then. `ahead`: how far the timeline may be so."""
    begin = drawn.randint(0, len(log))
    begun = state_at(log, begin)
    told = {one: known for one, known in begun.items() if drawn.random() < 0.5}
    chains: LogChains[Line] = LogChains(begin, told, most=drawn.randint(0, 2))
    projected, found, asked = begin, list[Line](), set[str]()
    while chains.position < len(log) or chains.asked_about():
        projected = max(projected, min(len(log), chains.position + ahead, projected + drawn.choice((0, 0, 1, 5))))
        if chains.position < len(log) and drawn.random() < 0.8:
            found += chains.take(Line(log[chains.position]))
            found += chains.passed(chains.position)
        if asked and drawn.random() < 0.6:
            found += chains.answered(asked, projected, state_at(log, projected))
            asked = set()
        asked = asked or chains.asked_about()
    return begin, [line.at for line in found], chains


def test_it_accepts_what_a_reader_of_everything_accepts() -> None:
    """Session by session in order; nothing else, but for what was accepted before and came again."""
    repeated = 0
    for seed in range(1500):
        drawn = random.Random(seed)
        log = hostile_log(drawn, drawn.randint(1, 40))
        whole = ChainTracker()
        accepted = [mark for mark in log if whole.accept(mark)]
        begin, found, chains = shown(log, drawn, ahead=drawn.choice((-1, 5)))
        earlier = {mark.event_id for mark in accepted if mark.offset < begin}
        for session_id in SESSIONS:
            wanted = [one.event_id for one in accepted if one.session_id == session_id and one.offset >= begin]
            seen = dict.fromkeys(one.event_id for one in found if one.session_id == session_id)
            assert [one for one in seen if one not in earlier] == wanted, seed
            if chains.last(session_id) is not None:
                assert chains.last(session_id) == whole.last(session_id), seed
        repeated += len(found) > sum(mark.offset >= begin for mark in accepted)
    assert repeated < 150


def test_beside_a_timeline_that_lags_nothing_comes_again() -> None:
    for seed in range(500):
        drawn = random.Random(seed)
        log = hostile_log(drawn, drawn.randint(1, 40))
        whole = ChainTracker()
        wanted = [mark.offset for mark in log if whole.accept(mark)]
        begin, found, _ = shown(log, drawn, ahead=-100)
        assert sorted(mark.offset for mark in found) == [offset for offset in wanted if offset >= begin], seed


def event(session_id: str, number: int, offset: int) -> ChainLink:
    previous = f"{session_id}{number - 1}" if number > 1 else None
    kind = "e" if previous else "session.started"
    return ChainLink(session_id, kind, f"{session_id}{number}", previous, number, offset)


def test_sessions_are_forgotten_once_the_timeline_shows_them() -> None:
    chains: LogChains[Line] = LogChains(0, {}, most=3)
    for number in range(200):
        session_id = f"s{number}"
        assert chains.take(Line(event(session_id, 1, number))) == []
        accepted = chains.answered({session_id}, number, {})
        assert [record.at.offset for record in accepted] == [number]
        assert len(chains) <= 4
    assert chains.last("s199") == LastAccepted("s1991", 1)
    assert chains.last("s0") is None


def test_a_session_that_the_timeline_does_not_show_yet_is_not_forgotten() -> None:
    """Else the timeline's next answer would tell of less than clients have seen."""
    chains: LogChains[Line] = LogChains(0, {}, most=0)
    for offset, session_id in enumerate("ab"):
        chains.take(Line(event(session_id, 1, offset)))
        chains.answered({session_id}, 0, {})
    assert chains.last("a") == LastAccepted("a1", 1)
    chains.take(Line(event("c", 1, 2)))
    chains.answered({"c"}, 2, {})
    assert chains.last("a") is None


def test_what_waits_for_the_timeline_is_bounded() -> None:
    chains: LogChains[Line] = LogChains(0, {})
    offset = 0
    while not chains.full:
        chains.take(Line(event("a", offset + 1, offset), value=b"x" * 100_000))
        offset += 1
    assert offset <= MOST_WAITING_BYTES / 100_000 + 1
    chains.answered({"a"}, 0, {})
    assert not chains.full
