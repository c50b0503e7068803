"""Restores from backups: the log alone, an older PostgreSQL, and an older log, which is refused.

One scene, in the order of the file: backups are taken while sessions run, then everything is killed and lost.
"""

import asyncio
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import uuid4

import pytest

from tarsy_backups import copy_of_kafka, dump, fresh_database, restore
from tarsy_bus.connection import Bus
from tarsy_bus.topics_admin import apply_topics
from tarsy_chains import CONFIG, ask_for, environment, rows
from tarsy_contracts import events as e
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_incident import INCIDENT
from tarsy_investigation import shown
from tarsy_live_log import LiveLog
from tarsy_log import read_log
from tarsy_service_forks import ServiceForks
from tarsy_system import PATIENT, System, running
from tarsy_testing import WAIT_SECONDS, bus_of_tests, eventually, own_kafka
from tarsy_verification.invariants import chain_faults, run_faults
from tarsy_verification.session_log import SessionLog
from tarsy_verification.tool_runs import runs_of

pytestmark = pytest.mark.timeout(900)

SERVICES = ("timeline", "orchestrator", "tool-gateway", "ingest")
ENDED_SECONDS = 240.0


@dataclass
class Scene:
    """`kafka` is the broker that runs. Everything of a system is in `folder`, but for its tables."""

    folder: Path
    kafka: EmbeddedKafka
    url: str
    forks: ServiceForks
    calls: Path
    incident: Path
    sessions: dict[str, str] = field(default_factory=dict)

    def system(self, url: str) -> System:
        """Of no process yet, on the broker that runs and the database of this URL."""
        bus = bus_of_tests(self.kafka.bootstrap, "tarsy")
        own = PATIENT | environment(self.calls, self.incident) | {"TARSY_TEST_DELETE_SECONDS": "60"}
        folder = self.folder / f"system-{uuid4().hex[:6]}"
        folder.mkdir()
        return System(bus, folder, CONFIG, url, "tarsy", own, forks=self.forks)
