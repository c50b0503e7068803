"""Ten makers of realistic long logs, each with a planted turning point: the lines that explain an incident.

The turning point mostly has no word that sounds like trouble; the lines after it show the consequences.
"""

from collections.abc import Mapping
from types import MappingProxyType

from .apps import spring_boot, structlog
from .data import kafka, postgresql, redis
from .log_layout import Make, PlantedLog
from .platform import journal, kube_controller_manager
from .web import envoy, haproxy, nginx

__all__ = ["LOGS", "Make", "PlantedLog"]

LOGS: Mapping[str, Make] = MappingProxyType(
    {
        "nginx": nginx,
        "haproxy": haproxy,
        "envoy": envoy,
        "postgresql": postgresql,
        "redis": redis,
        "kafka": kafka,
        "kube-controller-manager": kube_controller_manager,
        "journal": journal,
        "spring-boot": spring_boot,
        "structlog": structlog,
    }
)
