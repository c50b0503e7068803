"""A program that has imported every service and the command, and forks a process of one when it is told to.

It reads one JSON document a line from stdin and answers each with one on stdout. One thread: else it must not fork.
"""

import gc
import importlib
import json
import os
import pkgutil
import runpy
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict


class Start(TypedDict):
    module: str
    arguments: list[str]
    log: str
    folder: str
    environment: dict[str, str]


class Told(TypedDict, total=False):
    """One of the three."""

    start: Start
    ended: int
    located: str


def main() -> None:
    # Programs of tests are started by their names; what lies beside this one is not to be found. The last release has
    # packages of its own whose names are those of today's support of tests: its own come first.
    del sys.path[0]
    sys.path.append(str(Path(__file__).resolve().parents[2]))
    _prepare([*_services(), *_serving(), *_modules_of("tarsy_cli", "tarsy_local")])
    assert threading.active_count() == 1, threading.enumerate()
    started, ended = set[int](), dict[int, int]()
    for line in sys.stdin:
        told: Told = json.loads(line)
        if "start" in told:
            answer: int | str | None = (pid := _start(told["start"]))
            started.add(pid)
        elif "located" in told:
            answer = str(importlib.import_module(told["located"]).__file__)
        else:
            # The system tells of an end only once; the answer to a second question is the same.
            pid = told["ended"]
            if pid not in ended and (code := _exit_code(pid)) is not None:
                ended[pid] = code
                started.discard(pid)
            answer = ended.get(pid)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    # A test run that was killed leaves no service behind.
    for pid in started:
        os.kill(pid, signal.SIGKILL)


def _services() -> list[str]:
    """The last release has fewer: one that it lacks would be today's, on the libraries of the last."""
    names: tuple[str, ...] = importlib.import_module("tarsy_local.instance_counts").SERVICES
    return [f"tarsy_{name.replace('-', '_')}.app" for name in names]


def _serving() -> tuple[str, ...]:
    """Modules and functions that the fork server of `tarsy up` imports and calls. The last release has less of it."""
    try:
        started = importlib.import_module("tarsy_local.supervisor.service_start")
    except ModuleNotFoundError:
        return ()
    found: tuple[str, ...] = started.SERVING
    return found


def _modules_of(*packages: str) -> Iterator[str]:
    """The command imports many of its modules only when it needs them. The program itself runs when it is imported."""
    for package in packages:
        path = importlib.import_module(package).__path__
        for module in pkgutil.walk_packages(path, f"{package}."):
            if not module.name.endswith(".__main__"):
                yield module.name


def _prepare(steps: list[str]) -> None:
    """As `tarsy_processes.fork_server` of today does."""
    gc.disable()
    for step in steps:
        module, _, function = step.partition(":")
        imported = importlib.import_module(module)
        if function:
            getattr(imported, function)()
    gc.enable()
    gc.collect()
    gc.freeze()


def _exit_code(pid: int) -> int | None:
    """As `subprocess.Popen` has it; None while it runs."""
    found, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if found else None


def _start(start: Start) -> int:
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            _become(start)
            runpy.run_module(start["module"], run_name="__main__", alter_sys=True)
            code = 0
        except SystemExit as ending:
            code = ending.code if isinstance(ending.code, int) else int(ending.code is not None)
        except BaseException:  # noqa: BLE001 - as an interpreter ends
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    return pid


def _become(start: Start) -> None:
    """Makes this process what a new interpreter would have found."""
    out = os.open(start["log"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    for old, new in ((nowhere, 0), (out, 1), (out, 2)):
        os.dup2(old, new)
    os.close(out)
    os.close(nowhere)
    os.chdir(start["folder"])
    os.environ.clear()
    os.environ.update(start["environment"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = [start["module"], *start["arguments"]]


if __name__ == "__main__":
    main()
