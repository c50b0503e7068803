"""Skills: what a team knows of its systems, as agents are given it. The format is the open one of `SKILL.md`."""

import hashlib
import sys
from typing import Annotated

from pydantic import AfterValidator

from tarsy_contracts.wire.message import Value

type SkillText = Annotated[str, AfterValidator(sys.intern)]
"""Each session has the texts on its log. Sessions that wait in an owner's memory share them."""


class SkillFile(Value):
    """A further file of a skill. `path` begins at the skill's folder, with `/` between its parts."""

    path: str
    text: SkillText


class Skill(Value):
    """`tools`: patterns of tools; it is offered to agents that have one of them. `alert_types`: it is for these alerts.

    Both are empty where it is for all. `runbooks`: addresses in its texts that agents may read, too.
    """

    name: str
    description: str
    body: SkillText
    tools: tuple[str, ...] = ()
    alert_types: tuple[str, ...] = ()
    files: tuple[SkillFile, ...] = ()
    runbooks: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The parts that can be read besides its body."""
        return (*(file.path for file in self.files), *self.runbooks)

    @property
    def digest(self) -> str:
        """The SHA-256 of all that an agent can read of it, in hex."""
        return hashlib.sha256(self.model_dump_json(include=READABLE).encode()).hexdigest()

    @property
    def size(self) -> int:
        """In bytes as JSON, as the log has it with its further files: a control character takes six."""
        return len(self.model_dump_json().encode())


READABLE = {"name", "description", "body", "files", "runbooks"}


class PlannedSkill(Value):
    """A skill that an agent may have. `required`: it stands in the instructions, and the agent need not ask for it."""

    name: str
    digest: str
    required: bool = False
