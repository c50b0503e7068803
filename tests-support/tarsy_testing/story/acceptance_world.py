"""Schedules of owners for the acceptance rule: take-overs at any moment, zombies at any lag, heads that lag."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from tarsy_bus.acceptance import ChainLink, ChainTracker, Heads, LastAccepted
from tarsy_bus.log.heads import newest, next_head
from tarsy_contracts.events.heads import SessionHead

SESSIONS = ("a", "b", "c")
type Written = tuple[str, SessionHead]


def replay_start(heads: Mapping[str, SessionHead]) -> int:
    """The offset from which a reader that is seeded by these (the newest) heads has to read."""
    openers = [head.offset for head in heads.values() if head.phase == "open"]
    if openers:
        return min(openers)
    return max((head.offset for head in heads.values()), default=-1) + 1


@dataclass
class Owner:
    """A process that owns, or thinks that it does: it reads, writes what follows from what it read, publishes heads."""

    log: list[ChainLink]
    position: int = 0
    chains: ChainTracker = field(default_factory=ChainTracker)
    heads: Heads = field(default_factory=dict[str, SessionHead])
    unpublished: list[Written] = field(default_factory=list)

    def read(self, count: int) -> None:
        while count and self.position < len(self.log):
            mark = self.log[self.position]
            self.position += 1
            count -= 1
            if not self.chains.accept(mark):
                continue
            known = self.heads.get(mark.session_id)
            head = next_head(known, mark, decided=-1)
            if head is None or (known is not None and known.number == head.number):
                continue
            self.heads[mark.session_id] = head
            self.unpublished.append((mark.session_id, head))
            if head.phase == "rest":
                self.chains.rest(mark.session_id, head)

    def write(self, session_id: str, length: int, *, ends: bool) -> None:
        """Appends what a decision would, on what this owner knows."""
        head, last = self.heads.get(session_id), self.chains.last(session_id)
        if head is not None and last is None:
            return
        kinds = ["e"] * length + ["session.completed"] * ends
        if last is None:
            kinds = ["session.started", *kinds]
        elif head is not None and head.phase == "rest":
            kinds = ["session.reopened", *kinds] if length else ["alert.repeated"]
        for kind in kinds:
            number = last.number + 1 if last else 1
            previous = last.event_id if last else None
            id = f"{len(self.log)}"
            self.log.append(ChainLink(session_id, kind, id, previous, number, offset=len(self.log)))
            last = LastAccepted(id, number)


@dataclass
class World:
    log: list[ChainLink] = field(default_factory=list)
    published: list[Written] = field(default_factory=list)
    owners: list[Owner] = field(default_factory=list)

    def take_over(self) -> None:
        """A new owner is seeded by the heads as they are and reads to the end. Beyond four, the oldest is gone."""
        heads = newest(self.published)
        owner = Owner(self.log, position=replay_start(heads), chains=ChainTracker(heads), heads=dict(heads))
        owner.read(len(self.log))
        self.owners = [*self.owners, owner][-4:]

    def forge(self, session_id: str, number: int, *, last: LastAccepted | None) -> None:
        """A process may write whatever it likes: here, an event of any number, after the last one or after none."""
        offset = len(self.log)
        previous = "forged" if last is None else last.event_id
        self.log.append(ChainLink(session_id, "e", f"{offset}", previous, number, offset))

    def publish(self, owner: Owner, count: int) -> None:
        """In log order, with any lag. Heads that a crashed owner had not published are lost."""
        for _ in range(min(count, len(owner.unpublished))):
            self.published.append(owner.unpublished.pop(0))


KINDS = ("write", "write", "write", "write", "read", "read", "publish", "publish", "take_over", "forge")

type Schedule = list[tuple[str, int, int, int, bool]]


def play(schedule: Schedule) -> World:
    """`who` counts from the newest owner: 0 is the one that the group believes in, the others are zombies."""
    world = World(owners=[])
    world.take_over()
    for kind, who, which, amount, flag in schedule:
        owner = world.owners[-1 - who % len(world.owners)]
        match kind:
            case "write":
                if flag:
                    owner.read(len(world.log))
                owner.write(SESSIONS[which], amount, ends=flag)
            case "read":
                owner.read(1 + amount)
            case "publish":
                world.publish(owner, 1 + amount)
            case "forge":
                last = owner.chains.last(SESSIONS[which]) if flag else None
                world.forge(SESSIONS[which], 1 + amount, last=last)
            case _:
                world.take_over()
    world.take_over()
    return world


def hostile(seed: int) -> Schedule:
    """A long schedule, for the controls: what they look for is rare in the short ones that hypothesis prefers."""
    drawn = random.Random(seed)
    return [
        (drawn.choice(KINDS), drawn.randrange(4), drawn.randrange(3), drawn.randrange(4), drawn.random() < 0.5)
        for _ in range(drawn.randint(20, 120))
    ]
