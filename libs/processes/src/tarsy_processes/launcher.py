"""Runs between us and a server: `python -I -S launcher.py OPTIONS COMMAND...`.

It takes on another user if asked, ties its life to its parent's, and then becomes the command. A program of its own
instead of a preexec_fn, because Python code between fork and exec can deadlock in a process that has threads.
It must import nothing but the standard library.
"""

import contextlib
import ctypes
import json
import os
import signal
import sys
from pathlib import Path
from typing import TypedDict

_PR_SET_PDEATHSIG = 1


class Options(TypedDict):
    parent: int
    death_signal: int
    # "self", "namespace" (uid seen inside only) or "setuid" (uid for real).
    user: str
    uid: int
    gid: int
    # The reading end of a pipe that the parent holds, where the kernel cannot tell us of its death; else None.
    watchdog: int | None
    # Descriptors that only the server may inherit, and not the watchdog.
    lock: int | None


def become_user(options: Options) -> None:
    if options["user"] == "namespace":
        uid = os.getuid()
        os.unshare(os.CLONE_NEWUSER)
        Path("/proc/self/uid_map").write_text(f"{options['uid']} {uid} 1", encoding="ascii")
    elif options["user"] == "setuid":
        os.setgroups([])
        os.setgid(options["gid"])
        os.setuid(options["uid"])


def die_with_parent(parent: int, death_signal: int) -> None:
    """Must be called after a change of user, which would clear it."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(death_signal)) != 0:
        sys.exit(f"prctl failed: {os.strerror(ctypes.get_errno())}")
    # The parent may have died before prctl: then no signal will ever come.
    if os.getppid() != parent:
        sys.exit("the parent is gone already")


def leave_watchdog(options: Options, pipe: int) -> None:
    """Leave a process that signals the command when the parent is gone, which shows as the end of the pipe."""
    command_pid = os.getpid()
    child = os.fork()
    if child != 0:
        os.close(pipe)
        # The command must not find a child that it does not know: the watchdog itself is a grandchild.
        os.waitpid(child, 0)
        return
    os.setsid()
    if os.fork() == 0:
        if options["lock"] is not None:
            os.close(options["lock"])
        # A byte says that the parent stopped the command itself.
        if os.read(pipe, 1) == b"":
            with contextlib.suppress(ProcessLookupError):
                os.kill(command_pid, options["death_signal"])
    os._exit(0)


def main() -> None:
    options: Options = json.loads(sys.argv[1])
    command = sys.argv[2:]
    try:
        become_user(options)
        if options["watchdog"] is not None:
            leave_watchdog(options, options["watchdog"])
        elif sys.platform == "linux":
            die_with_parent(options["parent"], options["death_signal"])
        # Python ignores these two, and an ignored signal stays ignored through exec.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        os.execv(command[0], command)
    except OSError as error:
        sys.exit(f"could not start {command[0]}: {error}")


if __name__ == "__main__":
    main()
