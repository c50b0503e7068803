"""Prometheus metrics of the tool gateway. Labels are configured servers and outcomes, nothing that a request names."""

from collections.abc import Callable, Collection
from functools import partial
from typing import Protocol, get_args

from prometheus_client import CollectorRegistry

from tarsy_contracts.events import Outcome
from tarsy_service.telemetry.hop_metrics import HopTimes
from tarsy_service.telemetry.metric_kinds import MetricKinds
from tarsy_tool_gateway.mcp.failures import RETRIED, FailureKind
from tarsy_tool_gateway.mcp.health import SessionEnd
from tarsy_tool_gateway.mcp.logins.renewal import RenewalOutcome
from tarsy_worker.claim_types import ServerLoad

OTHER = "other"
SECONDS = (0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300)
BYTES = (256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 8_388_608, 33_554_432)


class HealthWatched(Protocol):
    @property
    def healthy(self) -> bool: ...
    @property
    def misconfigured(self) -> bool: ...
    @property
    def login_needed(self) -> bool: ...


class Metrics:
    def __init__(self, registry: CollectorRegistry, servers: Collection[str]) -> None:
        make = MetricKinds(registry)
        self.hops = HopTimes(registry)
        self._servers = frozenset(servers)
        self._met: set[str] = set()
        self._load_of: Callable[[str], ServerLoad] = _zero_load
        self._calls = make.counter(
            "tarsy_tool_gateway_calls_total", "Calls that ended here, by outcome", ["server", "outcome"]
        )
        self._duration = make.histogram(
            "tarsy_tool_gateway_call_duration_seconds",
            "From the start of a call to its result, the masking not included",
            ["server"],
            buckets=SECONDS,
        )
        self._bytes = make.histogram(
            "tarsy_tool_gateway_result_bytes", "Size of results, masked and before any cut", ["server"], buckets=BYTES
        )
        self._running = make.gauge(
            "tarsy_tool_gateway_calls_running", "Calls that run, or whose result is being told", ["server"]
        )
        self._queued = make.gauge("tarsy_tool_gateway_calls_queued", "Calls that wait for a place", ["server"])
        self._held = make.gauge("tarsy_tool_gateway_calls_held", "Claims that wait for a grant", ["server"])
        self._busy = make.counter(
            "tarsy_tool_gateway_busy_refusals_total",
            "Calls given back because too many waited, or waited too long for a place",
            ["server"],
        )
        self._healthy = make.gauge(
            "tarsy_tool_gateway_server_healthy",
            "1 while this gateway has a session with the MCP server, else 0",
            ["server"],
        )
        self._misconfigured = make.gauge(
            "tarsy_tool_gateway_server_misconfigured",
            "1 while no repetition will help this gateway to reach the MCP server, else 0",
            ["server"],
        )
        self._reconnects = make.counter(
            "tarsy_tool_gateway_server_reconnects_total",
            "Sessions with an MCP server that followed on one that ended",
            ["server"],
        )
        self._retries = make.counter(
            "tarsy_tool_gateway_call_retries_total",
            "Further attempts of calls, by what went wrong with the one before",
            ["server", "reason"],
        )
        self._sessions_ended = make.counter(
            "tarsy_tool_gateway_sessions_ended_total",
            "Sessions with an MCP server that ended before the gateway did, by the sign of it",
            ["server", "reason"],
        )
        self._progress = make.counter(
            "tarsy_tool_gateway_progress_chunks_total", "Progress of running calls, published on the stream", ["server"]
        )
        self._progress_dropped = make.counter(
            "tarsy_tool_gateway_progress_dropped_total",
            "Progress of running calls, dropped for newer progress or the end of the call",
            ["server"],
        )
        self._catalog_shortened = make.counter(
            "tarsy_tool_gateway_catalog_shortened_total",
            "Catalog entries that left out descriptions or schemas, for they were too large for a record",
            ["server"],
        )
        self._unchecked = make.counter(
            "tarsy_tool_gateway_schemas_unchecked_total",
            "Tools whose schema takes too long to check: what is sent to them, or comes from them, is let pass",
            ["server"],
        )
        self._unreadable = make.counter(
            "tarsy_tool_gateway_unreadable_messages_total",
            "Lines and events of MCP servers that are no message of the protocol, or answer no call",
            ["server"],
        )
        self._logins_needed = make.gauge(
            "tarsy_tool_gateway_login_needed",
            "1 while a person has to log in before this gateway can reach the MCP server, else 0",
            ["server"],
        )
        self._renewals = make.counter(
            "tarsy_tool_gateway_login_renewals_total",
            "Renewals of logins at an MCP server, by outcome",
            ["server", "outcome"],
        )
        for server in self._servers:
            self._begin_counters_at_zero(server)

    def count_login_renewal(self, server: str, outcome: RenewalOutcome) -> None:
        self._renewals.labels(self._known_or_other(server), outcome).inc()

    def count_ended(self, server: str, outcome: Outcome, seconds: float) -> None:
        self._calls.labels(self._known_or_other(server), outcome).inc()
        self._duration.labels(self._known_or_other(server)).observe(seconds)

    def result(self, server: str, size: int) -> None:
        self._bytes.labels(self._known_or_other(server)).observe(size)

    def busy(self, server: str) -> None:
        self._busy.labels(self._known_or_other(server)).inc()

    def watch_load(self, load_of: Callable[[str], ServerLoad]) -> None:
        """The gauges ask for the load when somebody reads them."""
        self._load_of = load_of
        for server in self._servers:
            self._show_load(server)

    def watch(self, server: str, watched: HealthWatched) -> None:
        """Its health is looked at when somebody asks for it. A server that is new becomes a label."""
        if server not in self._servers:
            self._servers |= {server}
            self._begin_counters_at_zero(server)
        self._show_load(server)
        self._healthy.labels(server).set_function(lambda: float(watched.healthy))
        self._misconfigured.labels(server).set_function(lambda: float(watched.misconfigured))
        self._logins_needed.labels(server).set_function(lambda: float(watched.login_needed))

    def remove_gauges_of(self, server: str) -> None:
        """It is configured no longer: its gauges would stay as they were. Its counters stay."""
        for gauge in (self._healthy, self._misconfigured, self._logins_needed):
            gauge.remove(server)

    def count_connection(self, server: str) -> None:
        if server in self._met:
            self._reconnects.labels(server).inc()
        self._met.add(server)

    def count_retry(self, server: str, reason: FailureKind) -> None:
        self._retries.labels(server, reason).inc()

    def count_session_end(self, server: str, reason: SessionEnd) -> None:
        self._sessions_ended.labels(server, reason).inc()

    def count_progress(self, server: str) -> None:
        self._progress.labels(self._known_or_other(server)).inc()

    def count_dropped_progress(self, server: str) -> None:
        self._progress_dropped.labels(self._known_or_other(server)).inc()

    def count_shortened_catalog(self, server: str) -> None:
        self._catalog_shortened.labels(self._known_or_other(server)).inc()

    def count_unchecked(self, server: str) -> None:
        self._unchecked.labels(self._known_or_other(server)).inc()

    def unreadable(self, server: str) -> None:
        self._unreadable.labels(self._known_or_other(server)).inc()

    def _show_load(self, server: str) -> None:
        load = partial(self._load_of, server)
        self._running.labels(server).set_function(partial(_count_running, load))
        self._queued.labels(server).set_function(partial(_count_queued, load))
        self._held.labels(server).set_function(partial(_count_awaiting_grant, load))

    def _begin_counters_at_zero(self, server: str) -> None:
        for counter in (
            self._busy,
            self._reconnects,
            self._progress,
            self._progress_dropped,
            self._catalog_shortened,
            self._unchecked,
            self._unreadable,
        ):
            counter.labels(server)
        for outcome in get_args(Outcome.__value__):
            self._calls.labels(server, outcome)
        for kind in RETRIED:
            self._retries.labels(server, kind)
        for end in get_args(SessionEnd.__value__):
            self._sessions_ended.labels(server, end)
        for renewal in get_args(RenewalOutcome.__value__):
            self._renewals.labels(server, renewal)

    def _known_or_other(self, server: str) -> str:
        return server if server in self._servers else OTHER


def _zero_load(_server: str) -> ServerLoad:
    """Before the worker runs."""
    return ServerLoad(running=0, awaiting_grant=0, queued=0)


def _count_running(load: Callable[[], ServerLoad]) -> float:
    return load().running


def _count_queued(load: Callable[[], ServerLoad]) -> float:
    return load().queued


def _count_awaiting_grant(load: Callable[[], ServerLoad]) -> float:
    return load().awaiting_grant
