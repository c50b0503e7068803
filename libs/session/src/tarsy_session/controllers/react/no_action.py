"""Words that stand after Action when a model wants no tool. Pure."""

import re

from tarsy_session.tools.offered_names import LONGEST, MARKS, clean

REASON = re.compile(r"[(,.;:–—]|\s-\s|\s(?:as|because|since)\s")
NOTHING = re.compile(
    r"(?:none|no(?:ne| (?:further |more )?(?:actions?|tools?))?(?: (?:is )?(?:needed|required|necessary))?"
    r"|n/?a|nil|null|nothing|not (?:applicable|needed|required)|finish(?:ed)?|done|final[ _-]?answer|conclude|[-–—]+)",
    re.IGNORECASE,
)


def means_nothing(written: str) -> bool:
    """Whether the model wants no tool, also with a reason behind it."""
    return NOTHING.fullmatch(clean(REASON.split(written[:LONGEST].strip(MARKS), maxsplit=1)[0])) is not None
