"""Modules of the page that need no browser, in a process of Node."""

import json
import select
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tarsy_websocket_gateway
from tarsy_testing.programs import required_program

PAGE = (Path(tarsy_websocket_gateway.__file__).parent / "page").as_uri()
"""The address of the page's modules."""
EVALUATE = Path(__file__).with_name("evaluate.mjs")
WAIT_SECONDS = 90.0


class Node:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def evaluate(self, script: str, given: object = None) -> Any:
        """What the function returns that the script is, as JSON has it. As `evaluate` of a tab in a browser."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps([script, given]) + "\n")
        stdin.flush()
        ready, _, _ = select.select([stdout], [], [], WAIT_SECONDS)
        assert ready, f"no answer in {WAIT_SECONDS:g} seconds"
        answer = json.loads(stdout.readline())
        assert "problem" not in answer, answer["problem"]
        return answer.get("value")


@contextmanager
def running_node() -> Iterator[Node]:
    """Leaves the test out where there is no Node."""
    command = [required_program("node"), str(EVALUATE)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Node(process)
        finally:
            process.kill()
