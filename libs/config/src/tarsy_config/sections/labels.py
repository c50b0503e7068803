"""`label_maps`: the labels that an executive summary may give its session, by the name of their list."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field, field_validator

from tarsy_config.values import Name, Section, wrong
from tarsy_contracts.chain import LabelRule, SummaryLabel

MOST_LABELS = 50
LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 ._/-]{0,62}[A-Za-z0-9])?")


def require_label(value: str) -> str:
    """No comma: a summary names several with one between them."""
    if LABEL.fullmatch(value) is None:
        raise wrong("is not a label", "use up to 64 letters, digits, blanks and . _ / - within")
    return value


class LabelChoice(Section):
    """`description`: when the summary is to choose it."""

    label: Annotated[Name, AfterValidator(require_label)]
    description: str = ""


class LabelMap(Section):
    """`multi`: a summary may choose several. `instructions`: what the model reads of the choice, besides."""

    labels: tuple[LabelChoice, ...] = Field(min_length=1, max_length=MOST_LABELS)
    multi: bool = False
    instructions: str = ""

    @field_validator("labels")
    @classmethod
    def _require_different(cls, labels: tuple[LabelChoice, ...]) -> tuple[LabelChoice, ...]:
        if len({one.label.casefold() for one in labels}) < len(labels):
            raise wrong("has a label twice", "keep one of them; large and small letters are the same")
        return labels

    def to_rule(self) -> LabelRule:
        labels = tuple(SummaryLabel(label=one.label, description=one.description) for one in self.labels)
        return LabelRule(labels=labels, multi=self.multi, instructions=self.instructions)
