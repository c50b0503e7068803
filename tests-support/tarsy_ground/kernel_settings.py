"""Settings of the kernel that an engine and a kubelet change, and that no namespace keeps apart."""

import json
from contextlib import AbstractContextManager
from pathlib import Path

from tarsy_ground import shared_machine

SETTINGS = (
    "net/ipv4/ip_forward",
    "vm/overcommit_memory",
    "vm/panic_on_oom",
    "kernel/panic",
    "kernel/panic_on_oops",
    "kernel/keys/root_maxkeys",
    "kernel/keys/root_maxbytes",
)
FOLDER = Path("/proc/sys")
FORWARDING = FOLDER / SETTINGS[0]


def unchanged_kernel_settings(
    settings: Path = FOLDER, shared: Path = shared_machine.FOLDER
) -> AbstractContextManager[None]:
    """When the last context on this machine ends, they are as they were before the first."""

    def save() -> str:
        return json.dumps(
            {name: (settings / name).read_text("ascii") for name in SETTINGS if (settings / name).exists()}
        )

    def restore(saved: str) -> None:
        for name, value in json.loads(saved).items():
            if (settings / name).read_text("ascii") != value:
                (settings / name).write_text(value, "ascii")

    return shared_machine.shared_state(shared, save, restore)
