"""Source text of a summary, read where the request says that it lies."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.outage_retry import TimeLimit
from tarsy_contracts.messages.requests import SummaryRequest
from tarsy_results.source import ResultGoneError, read_logged_result, read_stored_pieces
from tarsy_summarizer.errors import SummarizerError


class SourceGoneError(SummarizerError):
    """The source that the request points at is not there (any longer). The model goes on without a summary."""


async def read_source(bus: Bus, request: SummaryRequest, limit: TimeLimit) -> AsyncGenerator[bytes]:
    """The text, a piece after the other. An outage of Kafka is waited out.

    Raises SourceGoneError, and KafkaUnreachableError at the limit. To be closed.
    """
    # A request names the summary, not the call that it is of.
    try:
        if request.stored is None:
            completed = await read_logged_result(bus, request.result_event, limit, call_id=None)
            yield completed.content.encode(errors="replace")
            return
        async with aclosing(read_stored_pieces(bus, request.stored, limit, call_id=None)) as pieces:
            async for piece in pieces:
                yield piece
    except ResultGoneError as problem:
        raise SourceGoneError(f"the result cannot be read: {problem}") from problem
