"""The digest of a week in words: one page, as sections that each receiver writes in its own form. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tarsy_contracts.api.digests.usage_digest import DigestCost, KeyedCost, NamedCount, UsageDigest
from tarsy_contracts.api.usage import SessionOutcomes
from tarsy_contracts.budgets import CostCompleteness

NAME_LIMIT = 120


@dataclass(frozen=True, slots=True)
class DigestSection:
    title: str
    lines: tuple[str, ...]


def digest_title(digest: UsageDigest) -> str:
    return f"The week from {digest.first} to {digest.last} (UTC)"


def digest_sections(digest: UsageDigest) -> tuple[DigestSection, ...]:
    """Those that have something to say. The first is always there."""
    found = (
        DigestSection("Alerts investigated", tuple(_outcome_lines(digest))),
        DigestSection("Alert types", tuple(_list_types(digest))),
        DigestSection("Causes", tuple(_cause_lines(digest))),
        DigestSection("Slow tools", tuple(_tool_lines(digest))),
        DigestSection("Skills that nobody read", tuple(_skill_lines(digest.unread_skills))),
        DigestSection("Money", tuple(_money_lines(digest))),
        DigestSection("Learnt", tuple(_lesson_lines(digest.memories_learned))),
    )
    return tuple(section for section in found if section.lines)


def digest_plain_text(digest: UsageDigest) -> str:
    sections = ("\n".join((one.title, *(f"  {line}" for line in one.lines))) for one in digest_sections(digest))
    return "\n\n".join((digest_title(digest), *sections)) + "\n"


def _outcome_lines(digest: UsageDigest) -> Iterator[str]:
    now, before = digest.sessions, digest.sessions_before
    yield f"{now.sessions}, the week before {before.sessions}"
    if now.sessions:
        open_ones = now.sessions - now.completed - now.failed - now.cancelled
        counts = (f"{now.completed} completed", f"{now.failed} failed", f"{now.cancelled} cancelled")
        yield ", ".join((*counts, f"{open_ones} not ended") if open_ones else counts)
    if now.p50_seconds is not None and now.p90_seconds is not None:
        yield f"half of them took at most {_duration(now.p50_seconds)}, nine in ten {_duration(now.p90_seconds)}"
    if now.mean_score is not None:
        yield f"mean score {now.mean_score:.0f} of 100 ({now.scored} scored){_score_before(before)}"


def _score_before(before: SessionOutcomes) -> str:
    return "" if before.mean_score is None else f", the week before {before.mean_score:.0f}"


def _list_types(digest: UsageDigest) -> Iterator[str]:
    for one in digest.alert_types:
        failed = f", {one.failed} failed" if one.failed else ""
        yield f"{_name(one.alert_type)}: {one.sessions}{failed}"


def _cause_lines(digest: UsageDigest) -> Iterator[str]:
    ratings = digest.ratings
    if ratings.accurate or ratings.partly or ratings.wrong:
        yield f"rated by people: {ratings.accurate} accurate, {ratings.partly} partly, {ratings.wrong} wrong"
    yield from _counted("real cause", digest.causes)
    yield from _counted("label", digest.session_labels)
    yield from _counted("failed by", digest.failures)


def _counted(kind: str, counts: Sequence[NamedCount]) -> Iterator[str]:
    return (f"{kind}: {_name(one.name)} ({one.count})" for one in counts)


def _tool_lines(digest: UsageDigest) -> Iterator[str]:
    for one in digest.tools:
        calls = "1 call" if one.calls == 1 else f"{one.calls} calls"
        yield f"{_name(f'{one.server}.{one.tool}')}: p90 {_duration(one.p90_seconds)} ({calls})"


def _skill_lines(skills: Sequence[NamedCount]) -> Iterator[str]:
    return (f"{_name(one.name)}: offered to {_agents(one.count)}" for one in skills)


def _agents(count: int) -> str:
    return "1 agent" if count == 1 else f"{count} agents"


def _money_lines(digest: UsageDigest) -> Iterator[str]:
    yield _cost_line("all", digest.cost)
    yield from _keyed_lines("chain", digest.chains)
    yield from _keyed_lines("team", digest.teams)
    if digest.unpriced_models:
        yield f"without a price: {', '.join(map(_name, digest.unpriced_models))}"


def _keyed_lines(kind: str, costs: Iterable[KeyedCost]) -> Iterator[str]:
    return (_cost_line(f"{kind} {_name(one.key)}", one) for one in costs)


def _cost_line(name: str, cost: DigestCost) -> str:
    now = _money(cost.cost, cost.cost_completeness)
    return f"{name}: {now}, the week before {_money(cost.cost_before, cost.cost_before_completeness)}"


def _money(cost: float | None, completeness: CostCompleteness) -> str:
    if cost is None:
        return "nothing known"
    amount = "< $0.01" if 0 < cost < 0.01 else f"${cost:,.2f}"
    return f"at least {amount}" if completeness == "partial" else amount


def _lesson_lines(count: int) -> Iterator[str]:
    if count:
        yield "1 memory" if count == 1 else f"{count} memories"


def _name(text: str) -> str:
    """On one line: a name from outside may have any sign."""
    line = " ".join("".join(one if one.isprintable() else " " for one in text).split())
    if not line:
        return "not named"
    return line if len(line) <= NAME_LIMIT else f"{line[: NAME_LIMIT - 1]}…"


def _duration(seconds: float) -> str:
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{seconds / 3_600:.1f} h"
