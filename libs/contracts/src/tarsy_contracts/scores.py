"""The score of an investigation: what a judge says of it, and what the record knows by itself."""

from typing import Literal

from pydantic import Field

from tarsy_contracts.confidence import Confidence
from tarsy_contracts.wire.message import Value
from tarsy_contracts.wire.numbers import Count

SCORING = "scoring"
"""The phase after the end, and the type of its stage."""

type Dimension = Literal["outcome", "evidence", "tools", "reasoning", "completeness"]
DIMENSIONS: dict[Dimension, str] = {
    "outcome": "whether the conclusion is right, and whether somebody on call can act on it",
    "evidence": "whether what was looked at is enough, and shows what is claimed",
    "tools": "whether the right tools were called, with good arguments, and no more than needed",
    "reasoning": "whether other explanations were held against what was seen",
    "completeness": "whether nothing that the alert asks for was left out, and gaps are named",
}

FAILURE_TAGS: dict[str, str] = {
    "premature_conclusion": "it concluded before the evidence allowed it",
    "missed_available_tool": "a tool that was offered would have shown more, and was not called",
    "unsupported_confidence": "it is surer than its evidence",
    "incomplete_evidence": "something that had to be looked at was not",
    "hallucinated_evidence": "it names something that no result shows",
    "wrong_conclusion": "the conclusion is wrong, or results contradict it",
    "evidence_not_cited": "claims rest on calls, and cite none of them",
    "order_followed": "it did what a text from outside told it to do",
    "budget_wasted": "calls or tokens were spent on what was known already",
}
"""By tag, what it means. The first six are Go TARSy's."""


class Deduction(Value):
    """Points that were taken off. `calls`: the numbers of those that show why; none where nothing shows it."""

    dimension: str = ""
    points: float = 0.0
    reason: str = ""
    calls: tuple[int, ...] = ()


class ToolRemark(Value):
    tool: str
    why: str = ""


class ToolReport(Value):
    """`missing`: tools that nobody has. `misleading`: those whose descriptions or results led astray.

    `never_used`: those that were offered and never called, as the record knows.
    """

    missing: tuple[ToolRemark, ...] = ()
    misleading: tuple[ToolRemark, ...] = ()
    never_used: tuple[str, ...] = ()


class ScoreFacts(Value):
    """Facts that the record has of an investigation; the judge is given them, and guesses none.

    `repeated_calls`: of the same tool with the same arguments as an earlier one. `cited_calls`: calls of tools that the
    analysis cites; `unknown_citations`: numbers that it cites and that no call has. `unavailable`: how many times an
    agent lacked the tools of a server.
    """

    calls: Count = 0
    failed_calls: Count = 0
    denied_calls: Count = 0
    unknown_calls: Count = 0
    repeated_calls: Count = 0
    cited_calls: Count = 0
    unknown_citations: tuple[int, ...] = ()
    tools_offered: Count = 0
    tools_never_used: tuple[str, ...] = ()
    iterations: Count = 0
    partial_reason: str = ""
    budget_used_up: bool = False
    unavailable: Count = 0
    confidence: Confidence | Literal[""] = ""


class Score(Value):
    """`dimensions`: 0 to 100 each. `tags`: of FAILURE_TAGS. `prompt_digest`: of what every judge is told.

    `deductions_left_out`: deductions, or calls that they cite, which no call of the session fits.
    """

    score: int = Field(ge=0, le=100)
    dimensions: dict[str, int] = Field(default_factory=dict)
    tags: tuple[str, ...] = ()
    deductions: tuple[Deduction, ...] = ()
    deductions_left_out: Count = 0
    summary: str = ""
    tools: ToolReport = ToolReport()
    facts: ScoreFacts = ScoreFacts()
    prompt_digest: str = ""
    llm_provider: str = ""
