"""The plan that an alert is investigated by."""

import structlog

from tarsy_config.config import Config, UnknownAlertType
from tarsy_contracts.alert import Alert
from tarsy_contracts.chain import ResolvedChain

log = structlog.get_logger(__name__)


def resolve_chain(config: Config, alert: Alert) -> ResolvedChain:
    """An alert that was accepted is investigated: where no chain names its type (any longer), by the default one."""
    try:
        return config.chain_for(alert.alert_type, alert.mcp)
    except UnknownAlertType:
        log.warning("alert_type.unknown", alert_type=alert.alert_type, used=config.default_alert_type)
        return config.chain_for(config.default_alert_type, alert.mcp)
