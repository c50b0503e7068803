"""Settings of the kernel that a kubelet changes, and that no namespace keeps apart."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SETTINGS = (
    "vm/overcommit_memory",
    "vm/panic_on_oom",
    "kernel/panic",
    "kernel/panic_on_oops",
    "kernel/keys/root_maxkeys",
    "kernel/keys/root_maxbytes",
)
FOLDER = Path("/proc/sys")


@contextmanager
def unchanged_kernel_settings() -> Iterator[None]:
    """Afterwards they are as they were."""
    before = {name: (FOLDER / name).read_text("ascii") for name in SETTINGS if (FOLDER / name).is_file()}
    try:
        yield
    finally:
        for name, value in before.items():
            if (FOLDER / name).read_text("ascii") != value:
                (FOLDER / name).write_text(value, "ascii")
