"""A running installation is given another configuration."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tarsy_ground.cluster.configuration import write_configuration
from tarsy_ground.cluster.installation import RELEASE, Installation
from tarsy_testing.waiting import wait_until

LOADED = "config.loaded"
READERS = ("ingest", "orchestrator", "tool-gateway", "summarizer", "notifier")


@dataclass(frozen=True, slots=True)
class ConfiguredTarsy:
    """`pods_before` and `pods_after` are around the change. `pod` is the one that crash-loops."""

    tarsy: Installation
    files: Mapping[str, Path]
    pod: str
    pods_before: Mapping[str, str]
    pods_after: Mapping[str, str]


def configure(tarsy: Installation, folder: Path) -> ConfiguredTarsy:
    """Returns once every service has loaded it."""
    pod = tarsy.kubectl.run("get", "pods", "--namespace=payments", "--output=jsonpath={.items[0].metadata.name}")
    files = write_configuration(folder, pod)
    before, loads = tarsy.pods(), _loads(tarsy)
    tarsy.change_configuration(files)
    wait_until(lambda: all(count > loads[service] for service, count in _loads(tarsy).items()))
    return ConfiguredTarsy(tarsy, files, pod, before, tarsy.pods())


def _loads(tarsy: Installation) -> dict[str, int]:
    """How often each service has loaded a configuration."""
    return {each: tarsy.run("logs", f"deployment/{RELEASE}-{each}").count(LOADED) for each in READERS}
