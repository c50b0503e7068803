"""`verify`: how to see whether an action helped. A chain's word replaces that of `defaults`."""

from typing import Self

from pydantic import Field, JsonValue, model_validator

from tarsy_config.values import Name, Seconds, Section, wrong
from tarsy_contracts.actions import VerificationRule


class Verify(Section):
    """`tool` of `server` only reads. It helped where its result has all of `contains`, and none of `lacks`."""

    server: Name
    tool: Name
    arguments: dict[Name, JsonValue] = Field(default_factory=dict)
    after: Seconds = 60.0
    contains: tuple[Name, ...] = ()
    lacks: tuple[Name, ...] = ()

    @model_validator(mode="after")
    def _can_be_judged(self) -> Self:
        if not self.contains and not self.lacks:
            raise wrong("does not say what shows that it helped", "name texts in contains or in lacks")
        return self

    def to_rule(self) -> VerificationRule:
        return VerificationRule(
            server=self.server,
            tool=self.tool,
            arguments=self.arguments,
            after_seconds=self.after,
            contains=self.contains,
            lacks=self.lacks,
        )
