"""A skill of the configuration: what it says, and where it stands."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from tarsy_config.skills.links import find_runbooks
from tarsy_contracts.skills import Skill, SkillFile


@dataclass(frozen=True, slots=True)
class ConfiguredSkill:
    """`file`: where it stands, from the folder of `tarsy.yaml` on; `folder`: the folder of skills that has it."""

    skill: Skill
    digest: str
    file: str
    folder: str

    def link_runbooks(self, domains: Collection[str]) -> "ConfiguredSkill":
        """`domains`: where runbooks may come from."""
        texts = (self.skill.body, *(file.text for file in self.skill.files))
        return self._changed(runbooks=find_runbooks(texts, domains))

    def mask_with(self, mask: Callable[[str], str]) -> "ConfiguredSkill":
        """An address with a secret in it leads nowhere any longer."""
        skill = self.skill
        return self._changed(
            description=mask(skill.description),
            body=mask(skill.body),
            files=tuple(SkillFile(path=file.path, text=mask(file.text)) for file in skill.files),
            runbooks=tuple(address for address in skill.runbooks if mask(address) == address),
        )

    def _changed(self, **changes: object) -> "ConfiguredSkill":
        skill = self.skill.model_copy(update=changes)
        return replace(self, skill=skill, digest=skill.digest)
