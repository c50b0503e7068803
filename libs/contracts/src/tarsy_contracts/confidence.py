"""How sure an analysis says that it is: the line that its task asks for. Pure. The page has the same pattern."""

import re
from typing import Literal

type Confidence = Literal["high", "medium", "low"]
CONFIDENCES: tuple[Confidence, ...] = Confidence.__value__.__args__

# No two parts that repeat can take the same character: a long line of blanks would take the square of its length.
_LINE = re.compile(
    r"^[ \t>*_+-]*(?:\d{1,3}[.)][ \t*_]*)?confidence[*_]*[ \t]*:[ \t*_]*(?P<level>high|medium|low)\b", re.IGNORECASE
)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)")


def read_confidence(analysis: str) -> Confidence | None:
    """None where the analysis does not say it."""
    is_code = False
    for line in analysis.split("\n"):
        is_code ^= _FENCE.match(line) is not None
        found = None if is_code else _LINE.match(line)
        if found is not None:
            level: Confidence = found["level"].lower()  # type: ignore[assignment] # the pattern has no other
            return level
    return None
