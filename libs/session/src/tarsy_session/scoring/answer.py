"""Reading of a judge's answer: one JSON object, as models write it. Pure, and strict about what counts."""

from collections.abc import Collection, Iterator
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tarsy_contracts.near_json import object_at
from tarsy_contracts.scores import DIMENSIONS, FAILURE_TAGS, Deduction, Score, ScoreFacts, ToolRemark, ToolReport
from tarsy_session.scoring.facts import find_known_tags
from tarsy_session.scoring.prompts import PROMPT_DIGEST

MOST_LISTED = 30
LONGEST_TEXT = 2_000
MOST_OBJECTS = 20
"""Limit of beginnings at which the object is looked for: models write a sentence before it."""


def _to_list(value: Any) -> Any:
    """One that should be a list may stand alone, or be missing."""
    return [] if value in (None, "", "none") else value if isinstance(value, list) else [value]


def _to_text(value: Any) -> str:
    return str(value or "")[:LONGEST_TEXT]


type Text = Annotated[str, BeforeValidator(_to_text)]
type Listed[T] = Annotated[list[T], BeforeValidator(_to_list)]


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)


class _Deduction(_Lenient):
    dimension: Text = ""
    points: float = 0.0
    reason: Text = ""
    calls: Listed[int] = Field(default_factory=list)


class _Remark(_Lenient):
    tool: Text = ""
    why: Text = ""


class _Tools(_Lenient):
    missing: Listed[_Remark] = Field(default_factory=list)
    misleading: Listed[_Remark] = Field(default_factory=list)


class _Judgement(_Lenient):
    score: Annotated[float, Field(ge=0, le=100)]
    dimensions: dict[str, Annotated[float, Field(ge=0, le=100)]] = Field(default_factory=dict)
    tags: Listed[Text] = Field(default_factory=list)
    deductions: Listed[_Deduction] = Field(default_factory=list)
    summary: Text = ""
    tools: _Tools = _Tools()


def read_score(answer: str, facts: ScoreFacts, known_calls: Collection[int], llm_provider: str) -> Score:
    """Raises ValueError where the answer has no score that can be read."""
    judged = _read_judgement(answer)
    deductions = tuple(_with_known_calls(one, known_calls) for one in judged.deductions[:MOST_LISTED])
    named = sum(len(set(one.calls)) for one in judged.deductions)
    tags = {*judged.tags, *find_known_tags(facts)}
    return Score(
        score=round(judged.score),
        dimensions={name: round(judged.dimensions[name]) for name in DIMENSIONS if name in judged.dimensions},
        tags=tuple(tag for tag in FAILURE_TAGS if tag in tags),
        deductions=deductions,
        deductions_left_out=named - sum(len(one.calls) for one in deductions),
        summary=judged.summary,
        tools=ToolReport(
            missing=tuple(_to_remarks(judged.tools.missing)),
            misleading=tuple(_to_remarks(judged.tools.misleading)),
            never_used=facts.tools_never_used,
        ),
        facts=facts,
        prompt_digest=PROMPT_DIGEST,
        llm_provider=llm_provider,
    )


def _read_judgement(answer: str) -> _Judgement:
    problem = "it has no JSON object with a score"
    for found in _list_objects(answer):
        try:
            return _Judgement.model_validate(found)
        except ValidationError as wrong:
            first = wrong.errors()[0]
            problem = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    raise ValueError(problem)


def _list_objects(answer: str) -> Iterator[dict[str, Any]]:
    start = answer.find("{")
    for _ in range(MOST_OBJECTS):
        if start < 0:
            return
        found = object_at(answer, start)
        if found is not None:
            yield found[0]
        start = answer.find("{", start + 1 if found is None else found[1])


def _with_known_calls(deduction: _Deduction, known: Collection[int]) -> Deduction:
    calls = tuple(call for call in dict.fromkeys(deduction.calls) if call in known)
    return Deduction(dimension=deduction.dimension, points=abs(deduction.points), reason=deduction.reason, calls=calls)


def _to_remarks(remarks: list[_Remark]) -> Iterator[ToolRemark]:
    return (ToolRemark(tool=one.tool, why=one.why) for one in remarks[:MOST_LISTED] if one.tool)
