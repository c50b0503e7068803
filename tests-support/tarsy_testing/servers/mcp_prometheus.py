"""A real Prometheus that watches itself."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2

from tarsy_processes.ports import free_port
from tarsy_testing.programs import required_program

START_SECONDS = 180.0
STOP_SECONDS = 90.0
POLL_SECONDS = 0.1


@contextmanager
def prometheus(folder: Path) -> Iterator[str]:
    """Its address. The body begins when it has seen itself once."""
    program = required_program("prometheus")
    port = free_port()
    configuration = folder / "prometheus.yml"
    configuration.write_text(
        "global: {scrape_interval: 1s}\n"
        f"scrape_configs: [{{job_name: itself, static_configs: [{{targets: ['127.0.0.1:{port}']}}]}}]\n",
        encoding="utf-8",
    )
    command = [str(program), f"--config.file={configuration}", f"--storage.tsdb.path={folder / 'prometheus'}"]
    with (folder / "prometheus.log").open("wb") as log:
        process = subprocess.Popen([*command, f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=log)
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_until_it_sees_itself(url, process, folder / "prometheus.log")
        yield url
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_it_sees_itself(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    limit = time.monotonic() + START_SECONDS
    with httpx2.Client(timeout=START_SECONDS, trust_env=False) as client:
        while not _sees_itself(client, url):
            assert process.poll() is None, log.read_text(encoding="utf-8")[-2000:]
            assert time.monotonic() < limit, f"Prometheus saw nothing in {START_SECONDS:g} seconds"
            time.sleep(POLL_SECONDS)


def _sees_itself(client: httpx2.Client, url: str) -> bool:
    try:
        answer = client.get(f"{url}/api/v1/query", params={"query": "up == 1"})
        return answer.status_code == httpx2.codes.OK and bool(answer.json()["data"]["result"])
    except httpx2.TransportError:
        return False
