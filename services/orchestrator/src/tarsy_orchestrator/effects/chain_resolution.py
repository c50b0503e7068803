"""The configuration that new plans are resolved from, as the log may have it: with its skills masked."""

from collections.abc import Callable
from dataclasses import dataclass

from tarsy_config.checks.skills import require_masked_sizes
from tarsy_config.config import Config
from tarsy_config.configured_models import ConfiguredModels, models_of


@dataclass(frozen=True, slots=True)
class Plans:
    """The configuration that new plans are resolved from, and the models that plans name."""

    config: Config
    models: ConfiguredModels

    @property
    def most_sessions(self) -> int:
        return self.config.queue.max_concurrent_sessions


def prepare_plans(mask: Callable[[str], str], config: Config, before: Plans | None) -> Plans:
    """`mask`: skills go to the log. Raises InvalidConfigError or InvalidScriptError."""
    masked = config.with_masked_skills(mask)
    require_masked_sizes(masked)
    return Plans(masked, models_of(config, before.models if before is not None else None))
