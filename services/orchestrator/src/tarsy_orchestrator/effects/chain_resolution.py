"""Chain resolution: which chain of the configuration investigates an alert."""

import structlog

from tarsy_config.config import Config, UnknownAlertTypeError
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedChain

log = structlog.get_logger(__name__)


def resolve_chain(config: Config, alert: Alert) -> ResolvedChain:
    """An accepted alert is always investigated: by the default chain where none names its type (any longer)."""
    try:
        return config.chain_for(alert.alert_type, alert.mcp)
    except UnknownAlertTypeError:
        log.warning("alert_type.unknown", alert_type=alert.alert_type, used=config.default_alert_type)
        return config.chain_for(config.default_alert_type, alert.mcp)
