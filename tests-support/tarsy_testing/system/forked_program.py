"""A program as a fork of a process that has imported it: the imports of an MCP server take a second each time.

`forked_program.py SOCKET serve MODULE` forks; each fork calls `main()` of the module. `forked_program.py
SOCKET run ARGUMENTS` is what is started in the program's place: it has a fork made with its own arguments, environment,
folder, input and outputs, and ends as that ends, with its exit code. A fork whose starter was killed ends.
"""

import os
import signal
import socket
import sys
from contextlib import suppress

LONGEST_BYTES = 200_000
SEPARATOR = "\0"
FAILED = 1
STANDARD = (0, 1, 2)


def ask(path: str, arguments: list[str]) -> int:
    """The exit code of the fork."""
    variables = [f"{name}={value}" for name, value in os.environ.items()]
    # Not as JSON, whose import takes as long as all else here.
    told = SEPARATOR.join([os.getcwd(), str(len(arguments)), *arguments, *variables])
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
        server.connect(path)
        socket.send_fds(server, [os.fsencode(told)], STANDARD)
        # They are the fork's now: its end is the end of its output.
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in STANDARD:
            os.dup2(nowhere, descriptor)
        return int(server.recv(LONGEST_BYTES) or FAILED)


class Fork:
    """A program that runs. `descriptor` is readable when it has ended, and `asking` when its starter has."""

    def __init__(self, asking: socket.socket, pid: int) -> None:
        self.asking = asking
        self.descriptor = os.pidfd_open(pid)
        self._pid = pid

    def kill(self) -> None:
        """Also where it is stopped: its starter's group was killed, and it is not in that."""
        os.kill(self._pid, signal.SIGKILL)

    def bury(self) -> None:
        """Once it has ended."""
        code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        with suppress(OSError):
            self.asking.send(str(code if code >= 0 else FAILED).encode())
        self.asking.close()
        os.close(self.descriptor)


def serve(path: str, module: str) -> None:
    """Until its input ends, as it does when whoever started it has ended."""
    # Here, as `ask` does without them.
    import gc
    import importlib
    import select

    importlib.import_module(module)
    gc.collect()
    gc.freeze()
    forks = list[Fork]()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(path)
        listener.listen()
        while True:
            ends = [end for fork in forks for end in (fork.descriptor, fork.asking)]
            ready = select.select([listener, sys.stdin, *ends], [], [])[0]
            if sys.stdin in ready:
                break
            for fork in [*forks]:
                if fork.descriptor in ready:
                    fork.bury()
                    forks.remove(fork)
                elif fork.asking in ready:
                    fork.kill()
            if listener in ready:
                forks.append(_fork(listener, module, forks))
    for fork in forks:
        fork.kill()


def _fork(listener: socket.socket, module: str, others: list[Fork]) -> Fork:
    asking, _ = listener.accept()
    # Before there is a fork: from now on `asking` is readable at its end only.
    told, descriptors, _, _ = socket.recv_fds(asking, LONGEST_BYTES, len(STANDARD))
    if (pid := os.fork()) == 0:
        for one in (listener, asking, *(fork.asking for fork in others)):
            one.close()
        _run(module, told, descriptors)
    for descriptor in descriptors:
        os.close(descriptor)
    return Fork(asking, pid)


def _run(module: str, told: bytes, descriptors: list[int]) -> None:
    """Never returns: the fork ends with its program."""
    code = FAILED
    try:
        _become(module, told, descriptors)
        sys.modules[module].main()
        code = 0
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else int(ending.code is not None)
    except BaseException:  # noqa: BLE001 - as an interpreter ends
        import traceback

        traceback.print_exc()
    finally:
        for output in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                output.flush()
        os._exit(code)


def _become(module: str, told: bytes, descriptors: list[int]) -> None:
    """Makes this process what the program would have found."""
    for given, standard in zip(descriptors, STANDARD, strict=True):
        os.dup2(given, standard)
        os.close(given)
    folder, count, *rest = os.fsdecode(told).split(SEPARATOR)
    arguments, variables = rest[: int(count)], rest[int(count) :]
    os.chdir(folder)
    os.environ.clear()
    for variable in variables:
        name, _, value = variable.partition("=")
        os.environ[name] = value
    sys.argv = [str(sys.modules[module].__file__), *arguments]


if __name__ == "__main__":
    _, place, what, *given = sys.argv
    if what == "serve":
        serve(place, *given)
    else:
        sys.exit(ask(place, given))
