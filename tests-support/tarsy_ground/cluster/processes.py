"""Processes of pods, as the machine sees them."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tarsy_ground.cluster.installation import NAMESPACE
from tarsy_ground.cluster.kubectl import Kubectl
from tarsy_ground.control_groups import processes_in


@contextmanager
def frozen_pods(kubectl: Kubectl, component: str) -> Iterator[None]:
    """All pods of the component stand still, with what they have started, as long as the context is open."""
    listed = ("get", "pods", f"--namespace={NAMESPACE}", f"--selector=app.kubernetes.io/component={component}")
    pods = kubectl.run(*listed, "--output=jsonpath={.items[*].metadata.uid}").split()
    groups = [f"{kubectl.sandbox.network.name}/kubepods/*/pod{pod}" for pod in pods]
    frozen = [process for group in groups for process in processes_in(group)]
    if not frozen:
        raise RuntimeError(f"no process of {component} is found")
    _signal(frozen, signal.SIGSTOP)
    try:
        yield
    finally:
        _signal(frozen, signal.SIGCONT)


def _signal(processes: list[int], number: signal.Signals) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, number)
