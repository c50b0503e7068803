"""A program as a fork of a process that has imported it: the imports of an MCP server take a second each time.

`tarsy_forked_program.py SOCKET serve MODULE` forks; each fork calls `main()` of the module. `tarsy_forked_program.py
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


def serve(path: str, module: str) -> None:
    """Until its input ends, as it does when whoever started it has ended."""
    # Here, as `ask` does without them.
    import gc
    import importlib
    import select

    importlib.import_module(module)
    gc.collect()
    gc.freeze()
    # Nobody waits for forks: `ask` does.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(path)
        listener.listen()
        while sys.stdin not in (ready := select.select([listener, sys.stdin], [], [])[0]):
            if listener in ready:
                asking, _ = listener.accept()
                if os.fork() == 0:
                    listener.close()
                    _answer(asking, module)
                asking.close()


def _answer(asking: socket.socket, module: str) -> None:
    """Never returns: the fork ends with its program."""
    code = FAILED
    try:
        _become(asking, module)
        _end_with(asking)
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
        with suppress(OSError):
            asking.send(str(code).encode())
        os._exit(code)


def _become(asking: socket.socket, module: str) -> None:
    """Makes this process what the program would have found."""
    told, descriptors, _, _ = socket.recv_fds(asking, LONGEST_BYTES, len(STANDARD))
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
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    sys.argv = [str(sys.modules[module].__file__), *arguments]


def _end_with(asking: socket.socket) -> None:
    """Ends this process as soon as its starter has ended."""
    import threading

    def watch() -> None:
        asking.recv(1)
        os._exit(FAILED)

    threading.Thread(target=watch, daemon=True).start()


if __name__ == "__main__":
    _, place, what, *given = sys.argv
    if what == "serve":
        serve(place, *given)
    else:
        sys.exit(ask(place, given))
