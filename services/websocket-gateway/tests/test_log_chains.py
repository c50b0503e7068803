"""A gateway that holds few chains and asks about the others accepts what a reader of everything accepts.

The timeline is modelled: it has projected some part of the log, before or behind the gateway, and says so.
"""

import random
from dataclasses import dataclass

from tarsy_bus.acceptance import ChainLink, ChainTracker, LastAccepted
from tarsy_websocket_gateway.log.chains import MOST_WAITING_BYTES, LogChains

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
    chains: LogChains[Line] = LogChains(begin, most=drawn.randint(0, 2))
    chains.follow_all(told)
    projected, found, asked = begin, list[Line](), set[str]()
    while chains.position < len(log) or chains.list_unknown_sessions():
        projected = max(projected, min(len(log), chains.position + ahead, projected + drawn.choice((0, 0, 1, 5))))
        if chains.position < len(log) and drawn.random() < 0.8:
            found += chains.take(Line(log[chains.position]))
            found += chains.pass_position(chains.position)
        if asked and drawn.random() < 0.6:
            found += chains.take_answer(asked, projected, state_at(log, projected))
            asked = set()
        asked = asked or chains.list_unknown_sessions()
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


def of_all(most: int = 100) -> LogChains[Line]:
    chains: LogChains[Line] = LogChains(0, most=most)
    chains.follow_all()
    return chains


def test_sessions_are_forgotten_once_the_timeline_shows_them() -> None:
    chains = of_all(most=3)
    for number in range(200):
        session_id = f"s{number}"
        assert chains.take(Line(event(session_id, 1, number))) == []
        accepted = chains.take_answer({session_id}, number, {})
        assert [record.at.offset for record in accepted] == [number]
        assert len(chains) <= 4
    assert chains.last("s199") == LastAccepted("s1991", 1)
    assert chains.last("s0") is None


def test_a_session_that_the_timeline_does_not_show_yet_is_not_forgotten() -> None:
    """Else the timeline's next answer would tell of less than clients have seen."""
    chains = of_all(most=0)
    for offset, session_id in enumerate("ab"):
        chains.take(Line(event(session_id, 1, offset)))
        chains.take_answer({session_id}, 0, {})
    assert chains.last("a") == LastAccepted("a1", 1)
    chains.take(Line(event("c", 1, 2)))
    chains.take_answer({"c"}, 2, {})
    assert chains.last("a") is None


def test_what_waits_for_the_timeline_is_bounded() -> None:
    chains = of_all()
    offset = 0
    while not chains.full:
        chains.take(Line(event("a", offset + 1, offset), value=b"x" * 100_000))
        offset += 1
    assert offset <= MOST_WAITING_BYTES / 100_000 + 1
    chains.take_answer({"a"}, 0, {})
    assert not chains.full


def watched(log: list[ChainLink], drawn: random.Random) -> list[tuple[str, int, int, list[ChainLink]]]:
    """Sessions that are followed by name for a while: from where, until where, and what was accepted meanwhile."""
    chains: LogChains[Line] = LogChains(0)
    since, projected = dict[str, int](), 0
    found, periods = dict[str, list[ChainLink]](), list[tuple[str, int, int, list[ChainLink]]]()

    def keep(accepted: list[Line]) -> None:
        for one in accepted:
            found[one.at.session_id].append(one.at)

    def leave(session_id: str) -> None:
        periods.append((session_id, since.pop(session_id), chains.position, found.pop(session_id)))
        chains.leave(session_id)

    for mark in log:
        session_id = drawn.choice(SESSIONS)
        if session_id in since and drawn.random() < 0.1 and chains.last(session_id) is not None:
            leave(session_id)
        elif session_id not in since and drawn.random() < 0.3:
            chains.follow(session_id)
            since[session_id], found[session_id] = chains.position, []
        keep(chains.take(Line(mark)))
        keep(chains.pass_position(chains.position))
        projected = max(projected, min(len(log), chains.position + drawn.choice((-4, 0, 3))))
        for one in since:
            if drawn.random() < 0.3:
                keep(chains.take_answer([one], projected, state_at(log, projected)))
    keep(chains.take_answer(list(since), len(log), state_at(log, len(log))))
    for one in list(since):
        leave(one)
    return periods


def test_a_session_that_is_followed_for_a_while_is_accepted_as_by_a_reader_of_everything() -> None:
    """Also when the timeline answers with what it knew before the session was followed."""
    kept = 0
    for seed in range(1500):
        drawn = random.Random(seed)
        log = hostile_log(drawn, drawn.randint(1, 40))
        whole = ChainTracker()
        accepted = [mark for mark in log if whole.accept(mark)]
        for session_id, begin, end, found in watched(log, drawn):
            wanted = [one.event_id for one in accepted if one.session_id == session_id and begin <= one.offset < end]
            earlier = {one.event_id for one in accepted if one.offset < begin}
            seen = [one for one in dict.fromkeys(one.event_id for one in found) if one not in earlier]
            assert seen == wanted, seed
            kept += len(seen)
    assert kept > 500


def test_an_answer_from_before_a_session_was_followed_is_no_answer() -> None:
    chains: LogChains[Line] = LogChains(0)
    chains.take(Line(event("a", 1, 0)))
    chains.follow("a")
    chains.take(Line(event("a", 2, 1)))
    assert chains.take_answer(["a"], 0, {}) == []
    accepted = chains.take_answer(["a"], 1, {"a": LastAccepted("a1", 1)})
    assert [one.at.offset for one in accepted] == [1]


def test_a_session_that_nobody_knows_begins_without_another_question() -> None:
    chains: LogChains[Line] = LogChains(0)
    chains.follow("a")
    chains.take_answer(["a"], 0, {})
    assert [one.at.event_id for one in chains.take(Line(event("a", 1, 0)))] == ["a1"]
    assert chains.list_unknown_sessions() == set()


def test_sessions_that_nobody_follows_are_not_kept() -> None:
    chains: LogChains[Line] = LogChains(0)
    assert chains.idle
    chains.follow("a")
    chains.take_answer(["a"], 0, {})
    chains.take(Line(event("a", 1, 0)))
    chains.take(Line(event("b", 1, 1)))
    assert (len(chains), chains.list_unknown_sessions()) == (1, set())
    chains.leave("a")
    assert (chains.idle, len(chains), chains.last("a")) == (True, 0, None)
