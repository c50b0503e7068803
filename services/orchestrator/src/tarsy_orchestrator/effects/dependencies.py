"""Dependencies that all partitions of one orchestrator share."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tarsy_bus.client.chunk_sender import ChunkSender
from tarsy_bus.client.publisher import Publisher
from tarsy_bus.liveness.failure_detection import Liveness
from tarsy_llm.circuits import Circuits
from tarsy_llm.protocol import Llm
from tarsy_masking.masker import Masker
from tarsy_orchestrator.effects.admission import AdmissionQueue
from tarsy_orchestrator.effects.request_composer import RequestComposer
from tarsy_orchestrator.effects.run_numbers import RunNumbers
from tarsy_orchestrator.effects.tool_catalog import ToolCatalog, ToolsPatience
from tarsy_orchestrator.effects.tracing import SessionTraces
from tarsy_orchestrator.metrics import Metrics
from tarsy_service.process.alerts_under_way import AlertsUnderWay
from tarsy_service.supervision import Supervisor
from tarsy_service.telemetry.model_metrics import ModelCallMetrics
from tarsy_session.downtime import NEVER, Downtime

TOLERATED = timedelta(seconds=4)
"""Difference of clocks that is not corrected: what announcements tell of the brokers' lags behind by their way.

Gateways count on less than 5 seconds when they look for the beginning of a stream.
"""


@dataclass(frozen=True, slots=True)
class Dependencies:
    """`now` is this machine's clock; `monotonic` (seconds) measures pauses.

    `admission` bounds how many sessions run at once in this process, `background` how many phases after the end, and
    `llm_slots` how many LLM calls. `circuits` choose whom a call asks, and decide nothing. `masker` is not that of a
    session: each use makes it one. `alerts`: those that this process accepts, which go first.
    """

    publisher: Publisher
    chunks: ChunkSender
    liveness: Liveness
    catalog: ToolCatalog
    llms: Mapping[str, Llm]
    circuits: Circuits
    llm_slots: asyncio.Semaphore
    admission: AdmissionQueue
    background: AdmissionQueue
    masker: Masker
    metrics: Metrics
    model_calls: ModelCallMetrics
    traces: SessionTraces
    now: Callable[[], datetime]
    monotonic: Callable[[], float]
    tools_patience: ToolsPatience
    supervisor: Supervisor = field(default_factory=Supervisor)
    alerts: AlertsUnderWay = field(default_factory=AlertsUnderWay)
    requests: RequestComposer = field(default_factory=RequestComposer)
    runs: RunNumbers = field(default_factory=RunNumbers)

    @property
    def broker_now(self) -> datetime:
        """Stamps what the owner learns itself, beside inputs that the brokers stamped: times must not jump to and fro.

        It is this machine's clock, unless that one is far from theirs.
        """
        behind = self.liveness.clock_behind
        return self.now() if abs(behind) <= TOLERATED else self.now() + behind

    @property
    def downtime(self) -> Downtime:
        """Downtime as far as it is known now."""
        return downtime_of(self.liveness)


def downtime_of(liveness: Liveness) -> Downtime:
    """No deadline passes before our own announcements come back."""
    return Downtime(liveness.outages, known_until=liveness.now or NEVER)
