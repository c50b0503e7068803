"""Skills by words: what a person has in mind, against what agents are told of each skill."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile

from tarsy_contracts.skills import Skill

WORD = re.compile(r"[^\W_]+")
LEAST = 4
"""Letters of a word that is the beginning of another form: `node`, `nodes`."""
STEM, ENDING = 5, 3
"""Letters that two forms share at least, and in which the shorter one differs at most: `evicted`, `eviction`."""
WORTH = {"name": 3, "description": 2, "body": 1}
SAYS_NOTHING = frozenset({"a", "an", "and", "are", "at", "for", "in", "is", "it", "not", "of", "on", "or", "the", "to"})


@dataclass(frozen=True, slots=True)
class MatchedSkill:
    """`told`: whether an agent sees one of the words before it loads the skill."""

    skill: Skill
    score: int
    words: tuple[str, ...]
    told: bool


def match_skills(skills: Iterable[Skill], text: str) -> list[MatchedSkill]:
    """The best first; those without any of the words are left out."""
    words = [word for word in dict.fromkeys(WORD.findall(text.lower())) if word not in SAYS_NOTHING]
    found = [one for skill in skills if (one := _match(skill, words)).score]
    return sorted(found, key=lambda one: (-one.score, one.skill.name))


def _match(skill: Skill, words: list[str]) -> MatchedSkill:
    texts = {part: set(WORD.findall(getattr(skill, part).lower())) for part in WORTH}
    hits = {part: [word for word in words if _has(texts[part], word)] for part in WORTH}
    score = sum(WORTH[part] * len(found) for part, found in hits.items())
    matched = tuple(word for word in words if any(word in found for found in hits.values()))
    return MatchedSkill(skill, score, matched, bool(hits["name"] or hits["description"]))


def _has(text: set[str], word: str) -> bool:
    return word in text or any(_is_same(word, other) for other in text)


def _is_same(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    if longer == f"{shorter}s" or (len(shorter) >= LEAST and longer.startswith(shorter)):
        return True
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(shorter, longer, strict=False)))
    return shared >= max(STEM, len(shorter) - ENDING)
