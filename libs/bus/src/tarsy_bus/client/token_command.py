"""OAUTHBEARER tokens from a command of the operator's: run without a shell, its first line is the token."""

import asyncio
import base64
import binascii
import os
import shlex
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from aiokafka.abc import AbstractTokenProvider
from aiokafka.errors import KafkaConnectionError
from pydantic import BaseModel, ValidationError

from tarsy_bus.errors import BusError

TOKEN_SECONDS = 8.0
"""Less than a command of ours waits for Kafka: what is wrong with the token is said, and not that Kafka is silent."""
EARLY_SECONDS = 30.0
"""A token is not shown to a broker so shortly before it expires."""
MOST_BYTES = 64 * 1024
END_SECONDS = 2.0


class TokenCommandError(BusError, KafkaConnectionError):  # type: ignore[misc]
    """The command gave no token; the message does not quote what it wrote. The operator mends the command.

    aiokafka lives on through errors of Kafka only: any other would end a task of its client.
    """


class _Claims(BaseModel):
    exp: float


class TokenCommand(AbstractTokenProvider):  # type: ignore[misc]
    """Each new connection asks for a token. A JWT is used until shortly before its `exp`, another token only once.

    Connections that ask at the same time share one run, and what came of it.
    """

    def __init__(self, command: str, *, seconds: float = TOKEN_SECONDS, now: Callable[[], float] = time.time) -> None:
        self._arguments = shlex.split(command)
        self._seconds = seconds
        self._now = now
        self._running = asyncio.Lock()
        self._runs = 0
        self._token = ""
        self._good_until = 0.0
        self._failure = ""

    async def token(self) -> str:
        """Raises TokenCommandError."""
        seen = self._runs
        async with self._running:
            if self._runs == seen and self._now() >= self._good_until:
                await self._renew_token()
            if self._failure:
                raise TokenCommandError(self._failure)
            return self._token

    async def _renew_token(self) -> None:
        self._good_until = 0.0
        try:
            self._token, self._failure = _parse_token(await self._run_command()), ""
            self._good_until = expiry_of(self._token) - EARLY_SECONDS
        except (_Failed, OSError) as problem:
            # For messages, the name alone: arguments may hold a secret.
            name = Path(self._arguments[0]).name
            self._failure = (
                f"the token command {name} {_describe_failure(problem, self._seconds)} (TARSY_KAFKA_TOKEN_COMMAND)"
            )
        self._runs += 1

    async def _run_command(self) -> bytes:
        process = await asyncio.create_subprocess_exec(
            *self._arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(self._seconds):
                output = await _read_beginning(process)
                code = await process.wait()
        finally:
            await _kill_process(process)
        if code != 0:
            raise _Failed(f"ended with exit code {code}: run it by hand to see why")
        return output


class _Failed(Exception):  # noqa: N818 - it does not leave this module
    """The end of a sentence: what the command did."""


def _describe_failure(problem: Exception, seconds: float) -> str:
    match problem:
        case TimeoutError():
            return f"gave no token within {seconds:g} seconds"
        case OSError():
            return f"could not be started ({problem.strerror})"
        case _:
            return str(problem)


def expiry_of(token: str) -> float:
    """The `exp` of a JWT, in seconds since 1970; 0 of any other token. The signature is the broker's to check."""
    parts = token.split(".")
    if len(parts) != 3:
        return 0.0
    try:
        claims = base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4))
        return _Claims.model_validate_json(claims).exp
    except (binascii.Error, ValueError, ValidationError):
        return 0.0


def _parse_token(output: bytes) -> str:
    token = output.decode(errors="replace").partition("\n")[0].strip()
    if not token:
        raise _Failed("wrote no token in its first line")
    if not token.isascii() or not token.isprintable() or " " in token:
        raise _Failed("wrote a first line with letters that no token has")
    return token


async def _read_beginning(process: asyncio.subprocess.Process) -> bytes:
    """The beginning of the output. The rest is read too: the command would wait for somebody who does."""
    assert process.stdout is not None
    output = b""
    while chunk := await process.stdout.read(MOST_BYTES):
        output += chunk[: MOST_BYTES - len(output)]
    return output


async def _kill_process(process: asyncio.subprocess.Process) -> None:
    """Also of a command that hangs, or whose waiter was cancelled, and of what it started."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                await process.wait()
