"""Rank of memories: how well one fits what is asked, from words, scope, confidence and age. Pure."""

import math
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice

from tarsy_contracts.memory import MemoryScope, RecallContext, RecalledMemory
from tarsy_timeline.rows.session_rows import Row

AGREED = 0.8
"""Part of the doubt that is left after a session that agrees."""
OPPOSED = 0.6
"""Part of the confidence that is left after a session that disagrees."""
MOST_JUDGED = 50
LEAST_CONFIDENCE = 0.2
LEAST_SCORE = 0.05
MOST_BYTES = 48 * 1024
"""Limit for an answer. A result that is longer than the log takes inline is cut, and could not be read."""
DECAY_A_DAY = 0.0077
"""Half of what age may cost after 90 days."""
LEAST_FRESH = 0.7
"""Part of the score that the oldest keep."""
WORDS = 1.5
SAME: Mapping[str, float] = {"alert_type": 0.2, "cluster": 0.05, "namespace": 0.1, "workload": 0.35}
"""Weights of the facts in which a memory's own alert is the same."""
OUT_OF_SCOPE = 0.25
"""Part of the score that is left where a fact differs that the memory holds for."""


def confidence_of(row: Row) -> float:
    """In whatever order sessions agreed and disagreed. A locked memory is as sure as it was."""
    confidence: float = row["confidence"]
    if row["locked"]:
        return confidence
    agreed, opposed = min(row["agreed"], MOST_JUDGED), min(row["opposed"], MOST_JUDGED)
    return float((1 - (1 - confidence) * AGREED**agreed) * OPPOSED**opposed)


def rank_memories(rows: Iterable[Row], context: RecallContext, now: datetime, most: int) -> tuple[RecalledMemory, ...]:
    """The best first. Those that nobody is sure of any longer, and those that hardly fit, are left out."""
    sure = [(row, confidence) for row in rows if (confidence := confidence_of(row)) >= LEAST_CONFIDENCE]
    ranked = [(_score(row, confidence, context, now), row, confidence) for row, confidence in sure]
    ranked.sort(key=lambda one: (-one[0], one[1]["memory_id"]))
    fitting = (_to_recalled(row, confidence, score) for score, row, confidence in ranked if score >= LEAST_SCORE)
    return tuple(_take_within(islice(fitting, most), MOST_BYTES))


def _take_within(memories: Iterable[RecalledMemory], most: int) -> Iterator[RecalledMemory]:
    for one in memories:
        most -= len(one.model_dump_json().encode())
        if most < 0:
            return
        yield one


def _score(row: Row, confidence: float, context: RecallContext, now: datetime) -> float:
    words = WORDS * row["words"] / row["all_words"] if row["all_words"] else 0.0
    same = sum(weight for name, weight in SAME.items() if row[name] and row[name] == getattr(context, name))
    scope = MemoryScope.model_validate(row["scope"])
    differing = sum(1 for name in SAME if getattr(scope, name) not in ("", getattr(context, name)))
    days = max((now - row["learned_at"]).total_seconds() / 86_400, 0.0)
    return float(
        (words + same)
        * OUT_OF_SCOPE**differing
        * (0.4 + 0.6 * confidence)
        * (LEAST_FRESH + (1 - LEAST_FRESH) * math.exp(-DECAY_A_DAY * days))
    )


def _to_recalled(row: Row, confidence: float, score: float) -> RecalledMemory:
    return RecalledMemory(
        memory_id=row["memory_id"],
        session_id=row["session_id"],
        learned_at=row["learned_at"],
        text=row["text"],
        category=row["category"],
        valence=row["valence"],
        scope=MemoryScope.model_validate(row["scope"]),
        confidence=round(confidence, 3),
        score=round(score, 4),
    )
