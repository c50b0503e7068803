"""Parser of HTTP/1.1 requests that ignores offered upgrades which the server does not take (RFC 9110, 7.8).

llhttp ends such a request at its head. It would parse the body as the next request. Here the same request is parsed
again without its offer.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import httptools

DROPPED = frozenset({b"upgrade", b"http2-settings"})
"""Headers that belong to an offer, and tokens of `Connection` that name them."""

type Segment = bytes | bytearray | memoryview[int] | array[int]
type Headers = Sequence[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class DeclinedOffer:
    """A request whose offer is not taken: its target as it was sent, and its headers with names in lower case.

    `parser`: a new one, which goes on with the same request.
    """

    target: bytes
    headers: Headers
    parser: "RequestParser"


class RequestParser(httptools.HttpRequestParser):
    """`decline` returns None where the offer is taken."""

    def __init__(self, protocol: object, decline: Callable[[], DeclinedOffer | None]) -> None:
        super().__init__(protocol)
        self._decline = decline
        # As uvicorn has it: what comes behind a request that asks for an end does not spoil its answer.
        self.set_dangerous_leniencies(lenient_data_after_close=True)

    def feed_data(self, data: Segment) -> None:
        """Raises HttpParserUpgrade for an offer that is taken, and HttpParserError."""
        parser: RequestParser = self
        while (offer := parser._feed_until_offer(data)) is not None:
            declined = self._decline()
            if declined is None:
                raise offer
            head = _head_without_offer(parser.get_method(), declined, parser.get_http_version())
            data, parser = head + bytes(data[offer.args[0] :]), declined.parser

    def _feed_until_offer(self, data: Segment) -> httptools.HttpParserUpgrade | None:
        try:
            super().feed_data(data)
        except httptools.HttpParserUpgrade as offer:
            return offer
        return None


def _head_without_offer(method: bytes, declined: DeclinedOffer, version: str) -> bytes:
    """The head of the request without its offer."""
    if method == b"CONNECT":
        raise httptools.HttpParserInvalidMethodError("there is no tunnel")
    headers = b"".join(b"%b: %b\r\n" % header for header in _without_offer(declined.headers))
    return b"%b %b HTTP/%b\r\n%b\r\n" % (method, declined.target, version.encode(), headers)


def _without_offer(headers: Headers) -> Iterator[tuple[bytes, bytes]]:
    for name, value in headers:
        if name == b"connection":
            tokens = [token for token in value.split(b",") if token.strip().lower() not in DROPPED]
            value = b",".join(tokens)
        if name not in DROPPED and (value or name != b"connection"):
            yield name, value
