"""Chain resolution: which chain of the configuration investigates an alert, and what its plan names."""

from dataclasses import dataclass

import structlog

from tarsy_config.config import Config, UnknownAlertTypeError
from tarsy_config.configured_models import ConfiguredModels, models_of
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedChain

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Plans:
    """The configuration that new plans are resolved from, and the models that plans name."""

    config: Config
    models: ConfiguredModels

    @property
    def most_sessions(self) -> int:
        return self.config.queue.max_concurrent_sessions


def prepare_plans(config: Config, before: Plans | None) -> Plans:
    """Raises InvalidScriptError."""
    return Plans(config, models_of(config, before.models if before is not None else None))


def resolve_chain(config: Config, alert: Alert) -> ResolvedChain:
    """An accepted alert is always investigated: by the default chain where none names its type (any longer)."""
    try:
        return config.chain_for(alert.alert_type, alert.mcp, alert.llm_provider)
    except UnknownAlertTypeError:
        log.warning("alert_type.unknown", alert_type=alert.alert_type, used=config.default_alert_type)
        return config.chain_for(config.default_alert_type, alert.mcp, alert.llm_provider)
