"""`defaults.memory`: what investigations learn, and what is given to later ones."""

from pydantic import Field

from tarsy_config.sections.fallbacks import ModelChoice
from tarsy_config.values import Seconds
from tarsy_contracts.memory import MemoryRule


class MemorySettings(ModelChoice):
    """`max_inject`: so many memories an investigation begins with. `reflector_memory_limit`: so many the reflection is
    shown. `recall_timeout`: so long an investigation waits for them. The provider is the one that reflects.
    """

    enabled: bool = False
    max_inject: int = Field(5, ge=0, le=20)
    reflector_memory_limit: int = Field(20, ge=0, le=20)
    recall_timeout: Seconds = 5.0

    def to_rule(self) -> MemoryRule | None:
        """None where nobody remembers."""
        if not self.enabled:
            return None
        return MemoryRule(
            max_inject=self.max_inject, reflector_limit=self.reflector_memory_limit, seconds=self.recall_timeout
        )
