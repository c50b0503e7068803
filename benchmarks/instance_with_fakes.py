"""`tarsy up` with a model and an MCP server of ours, for benchmarks of what people start."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local_instance import LocalInstance, local_instance
from outside import outside
from whole_system import CONFIG, LEAST_ITERATIONS

MODES = {"processes": ("--processes",), "one": ()}
NO_BOUND = 1_000_000
CALLS_AT_ONCE = 100


@contextmanager
def local_instance_with_fakes(
    mode: str,
    *,
    model_seconds: float = 0.0,
    tool_seconds: float = 0.0,
    calls_at_once: int = CALLS_AT_ONCE,
    queue: str = f"max_pending: {NO_BOUND}",
    model_url: str = "",
) -> Iterator[LocalInstance]:
    """It runs in the body, in one of MODES. Model and tool are instant where nothing else is said.

    `queue`: the part of that name in tarsy.yaml. All alerts may come from one sender. `model_url`: another model.
    """
    os.environ.setdefault("TARSY_ALERTS_PER_SECOND", "0")
    with (
        outside(model_seconds=model_seconds, tool_seconds=tool_seconds) as around,
        tempfile.TemporaryDirectory(prefix="tarsy-bench-", ignore_cleanup_errors=True) as name,
    ):
        config = Path(name) / "config"
        config.mkdir()
        text = CONFIG.format(
            model_url=model_url or around.model_url,
            tools_url=around.tools_url,
            at_once=calls_at_once,
            most_iterations=LEAST_ITERATIONS,
            more=f"queue: {{{queue}}}\n",
        )
        (config / "tarsy.yaml").write_text(text, encoding="utf-8")
        with local_instance(Path(name), config, *MODES[mode]) as instance:
            yield instance
