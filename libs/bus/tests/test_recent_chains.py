"""A reader that forgets sessions, and asks where others keep them, judges as one that remembers all."""

import random

from tarsy_bus.acceptance import ChainLink, ChainTracker, LastAccepted
from tarsy_bus.log.recent_chains import RecentChains
from tarsy_testing.story.acceptance_world import hostile, play


def verdicts(log: list[ChainLink], *, most: int, batch: int) -> list[bool]:
    """Batch by batch, each written down before the next is read, as a projector does."""
    ledger: dict[str, LastAccepted] = {}
    chains, found = RecentChains(most), []
    for begin in range(0, len(log), batch):
        marks = log[begin : begin + batch]
        chains.forget_old()
        assert len(chains) <= most
        missing = chains.select_missing(mark.session_id for mark in marks)
        chains.learn(missing, {one: ledger[one] for one in missing if one in ledger})
        for mark in marks:
            found.append(chains.accept(mark))
            if found[-1]:
                ledger[mark.session_id] = LastAccepted(mark.event_id, mark.number)
    return found


def test_what_was_forgotten_is_judged_as_if_it_had_not_been() -> None:
    for seed in range(200):
        log, drawn = play(hostile(seed)).log, random.Random(seed)
        whole = ChainTracker()
        wanted = [whole.accept(mark) for mark in log]
        assert verdicts(log, most=drawn.randint(0, 2), batch=drawn.randint(1, 9)) == wanted
