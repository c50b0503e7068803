"""Connection passing between processes (SCM_RIGHTS): an open TCP connection, and the bytes that were read of it.

One port has many services behind it. A front door passes a connection whose next request a service takes to that
service, which answers it without a proxy in between. When a later request of the connection is for somebody else, it
goes back the same way. A connection moves only between two requests; nothing of a request was answered, or is lost.
"""

import array
import asyncio
import errno
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Protocol

import structlog

log = structlog.get_logger(__name__)

CONNECTION, TAKES, WITHDRAWN = b"c", b"t", b"w"
"""Messages: a connection with its first bytes; the beginnings of requests that the sender takes; it takes no more."""
FIRST_BYTES = 256 * 1024
"""The number of bytes that a transport reads at once."""
AT_ONCE = 16
BACKLOG = 32
LEAVE_SECONDS = 1.0
DESCRIPTOR_BYTES = array.array("i").itemsize

type Accept = Callable[[socket.socket, bytes], None]


def can_pass_connections() -> bool:
    """Elsewhere than on Linux a Unix socket has no messages."""
    return hasattr(socket, "SOCK_SEQPACKET") and hasattr(socket, "SCM_RIGHTS") and os.uname().sysname == "Linux"


def begins_with(data: bytes, beginnings: Sequence[bytes]) -> bool:
    """The first request of `data` is one of these: method and path, or what lies below that path."""
    return any(data.startswith(one) and data[len(one) : len(one) + 1] in (b" ", b"/", b"?") for one in beginnings)


class ConnectionPassing(Protocol):
    """The other processes, as the HTTP server of one sees them."""

    answers_all: bool
    """Requests that could not be passed on are answered here. Otherwise their connection is closed."""

    def is_elsewhere(self, data: bytes) -> bool:
        """The request that begins with these bytes is for another process."""
        ...

    def pass_on(self, descriptor: int, data: bytes) -> bool:
        """False when nobody took it: it is as it was."""
        ...

    def receive(self, accept: Accept) -> None:
        """Connections that come are given to `accept`, from now on."""
        ...


class PassingChannel:
    """One end of a Unix socket between two processes. Never waits: what does not fit is not sent."""

    def __init__(self, end: socket.socket, received: Callable[[bytes, int | None], None], ended: Callable[[], None]):
        end.setblocking(False)
        for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            end.setsockopt(socket.SOL_SOCKET, option, 2 * FIRST_BYTES)
        self._end = end
        self._received = received
        self._remove_channel = ended
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(end, self._read_messages)

    def send(self, kind: bytes, data: bytes = b"", descriptor: int | None = None) -> bool:
        rights = [] if descriptor is None else [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [descriptor]))]
        try:
            self._end.sendmsg([kind, data], rights)
        except OSError as problem:
            if problem.errno not in (errno.EAGAIN, errno.EMSGSIZE, errno.ENOBUFS):
                self.close()
            return False
        return True

    def close(self) -> None:
        if self._end.fileno() >= 0:
            self._loop.remove_reader(self._end)
            self._end.close()
            self._remove_channel()

    def _read_messages(self) -> None:
        for _ in range(AT_ONCE):
            try:
                data, rights, flags, _ = self._end.recvmsg(1 + FIRST_BYTES, socket.CMSG_SPACE(DESCRIPTOR_BYTES))
            except BlockingIOError:
                return
            except OSError:
                self.close()
                return
            descriptor = next(iter(_read_descriptors(rights)), None)
            if not data:
                self.close()
            elif flags & socket.MSG_TRUNC and descriptor is not None:
                os.close(descriptor)  # half of its bytes are lost: better no answer than a wrong one
            else:
                self._received(data, descriptor)
            if self._end.fileno() < 0:
                return


class PassingDoor:
    """The side of a front door: services that take requests connect to its Unix socket, and say which."""

    answers_all = True

    def __init__(self, counted: Callable[[], None] = lambda: None) -> None:
        self._counted = counted
        self._channels: dict[PassingChannel, tuple[bytes, ...]] = {}
        self._accept: Accept = _refuse_connection

    @contextmanager
    def listening(self, path: Path) -> Iterator[None]:
        """Services find it at this path, in a folder that is private to us. Raises OSError."""
        loop = asyncio.get_running_loop()
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(str(path))
            listener.listen(BACKLOG)
            listener.setblocking(False)
            loop.add_reader(listener, self._accept_channel, listener)
            try:
                yield
            finally:
                loop.remove_reader(listener)
                for channel in list(self._channels):
                    channel.close()

    def is_elsewhere(self, data: bytes) -> bool:
        return any(begins_with(data, takes) for takes in self._channels.values())

    def pass_on(self, descriptor: int, data: bytes) -> bool:
        for channel, takes in list(self._channels.items()):
            if begins_with(data, takes) and channel.send(CONNECTION, data, descriptor):
                self._channels[channel] = self._channels.pop(channel)  # the next one goes to another
                self._counted()
                return True
        return False

    def receive(self, accept: Accept) -> None:
        self._accept = accept

    def _accept_channel(self, listener: socket.socket) -> None:
        with suppress(BlockingIOError):
            end, _ = listener.accept()
            channel = PassingChannel(
                end,
                lambda data, descriptor: self._take_from_channel(channel, data, descriptor),
                lambda: self._remove_channel(channel),
            )
            self._channels[channel] = ()

    def _remove_channel(self, channel: PassingChannel) -> None:
        self._channels.pop(channel, None)

    def _take_from_channel(self, channel: PassingChannel, data: bytes, descriptor: int | None) -> None:
        match data[:1]:
            case b"c" if descriptor is not None:
                self._accept(socket.socket(fileno=descriptor), data[1:])
            case b"t" if channel in self._channels:
                self._channels[channel] = tuple(data[1:].split(b"\n"))
            case _:
                self._channels[channel] = ()
                channel.send(WITHDRAWN)


class PassingService:
    """The side of a service: it takes requests that begin in certain ways, and gives all others back."""

    answers_all = False

    def __init__(self, takes: Sequence[str]) -> None:
        self._takes = tuple(one.encode() for one in takes)
        self._accept: Accept = _refuse_connection
        self._channel: PassingChannel | None = None
        self._nothing_comes = asyncio.Event()

    @asynccontextmanager
    async def connected(self, path: str) -> AsyncIterator[None]:
        """Connections come once `open` was called. Raises OSError."""
        end = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            end.connect(path)
        except BaseException:
            end.close()
            raise
        self._channel = PassingChannel(end, self._take_from_door, self._nothing_comes.set)
        try:
            yield
        finally:
            self._channel.close()

    def open(self) -> None:
        if self._channel is not None:
            self._channel.send(TAKES, b"\n".join(self._takes))

    async def withdraw(self) -> None:
        """Returns when no more connections come; those that are here can still be given back."""
        if self._channel is not None and self._channel.send(WITHDRAWN):
            with suppress(TimeoutError):
                async with asyncio.timeout(LEAVE_SECONDS):
                    await self._nothing_comes.wait()

    def is_elsewhere(self, data: bytes) -> bool:
        return not begins_with(data, self._takes)

    def pass_on(self, descriptor: int, data: bytes) -> bool:
        return self._channel is not None and self._channel.send(CONNECTION, data, descriptor)

    def receive(self, accept: Accept) -> None:
        self._accept = accept

    def _take_from_door(self, data: bytes, descriptor: int | None) -> None:
        if descriptor is not None:
            self._accept(socket.socket(fileno=descriptor), data[1:])
        elif data == WITHDRAWN:
            self._nothing_comes.set()


def _refuse_connection(connection: socket.socket, _: bytes) -> None:
    connection.close()


def _read_descriptors(rights: Sequence[tuple[int, int, bytes]]) -> list[int]:
    found = array.array("i")
    for level, kind, data in rights:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            found.frombytes(data[: len(data) - len(data) % found.itemsize])
    return found.tolist()
