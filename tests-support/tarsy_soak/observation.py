"""Observation of a soak's processes while it runs: memory, readiness, and how long their event loops were held."""

import asyncio
import time

import httpx2
from prometheus_client.parser import text_string_to_metric_families

from tarsy_cli.credentials import key_headers
from tarsy_local.instance import Home, Process
from tarsy_soak.memory import MemorySamples, Sample, resident_mb
from tarsy_soak.progress import ReadyStatement

EVERY_SECONDS = 2.0
METRICS_EVERY = 5
"""Every so many looks the metrics are asked for, too."""
ASK_SECONDS = 2.0
DECIDING = "orchestrator"
"""The service whose `/ready` must tell when no session goes on."""
HELD = "tarsy_process_loop_held_seconds"
HELD_ABOVE = "0.25"
"""The bucket above which a loop counts as held. It is well above our limit of 0.1 s, as the machine of a soak is
busy.
"""


class Observation:
    def __init__(self, home: Home) -> None:
        self.memory = MemorySamples()
        self.held: dict[tuple[str, int], float] = {}
        self.restarts: dict[str, int] = {}
        self.ready: list[ReadyStatement] = []
        self._home = home

    async def run(self, stopping: asyncio.Event) -> None:
        looks = 0
        async with httpx2.AsyncClient(headers=key_headers(), trust_env=False, timeout=ASK_SECONDS) as client:
            while not stopping.is_set():
                processes = self._processes()
                self._note(processes)
                await asyncio.gather(*(self._ask_ready(client, one) for one in processes if one.service == DECIDING))
                if looks % METRICS_EVERY == 0:
                    await asyncio.gather(*(self._ask(client, one) for one in processes if one.http))
                looks += 1
                try:
                    async with asyncio.timeout(EVERY_SECONDS):
                        await stopping.wait()
                except TimeoutError:
                    continue

    def faults(self) -> list[str]:
        """Faults of the event loops."""
        return [
            f"{service} (process {pid}) held its event loop {count:.0f} times for more than {HELD_ABOVE} s"
            for (service, pid), count in self.held.items()
            if count
        ]

    def _processes(self) -> list[Process]:
        instance = self._home.find_running()
        return [] if instance is None else instance.processes

    def _note(self, processes: list[Process]) -> None:
        restarts: dict[str, int] = {}
        for one in processes:
            restarts[one.service] = restarts.get(one.service, 0) + one.restarts
            if one.pid is not None and (resident := resident_mb(one.pid)) is not None:
                self.memory.add(one.service, one.pid, Sample(time.time(), resident))
        self.restarts = restarts

    async def _ask_ready(self, client: httpx2.AsyncClient, one: Process) -> None:
        try:
            answer = await client.get(f"{one.http}/ready")
        except httpx2.HTTPError:
            return
        if answer.status_code == 200:
            self.ready.append(ReadyStatement(time.time(), f"{one.service} {one.instance}"))

    async def _ask(self, client: httpx2.AsyncClient, one: Process) -> None:
        """A process that does not answer now is asked again later."""
        if one.pid is None:
            return
        try:
            answer = await client.get(f"{one.http}/metrics")
        except httpx2.HTTPError:
            return
        if answer.status_code == 200:
            self.held[one.service, one.pid] = held_above(answer.text)


def held_above(exposition: str, bucket: str = HELD_ABOVE) -> float:
    """Counts how often the loop was held for longer than a bucket of the histogram on /metrics."""
    for family in text_string_to_metric_families(exposition):
        if family.name == HELD:
            samples = {sample.labels.get("le"): sample.value for sample in family.samples}
            return samples.get("+Inf", 0.0) - samples.get(bucket, 0.0)
    return 0.0
