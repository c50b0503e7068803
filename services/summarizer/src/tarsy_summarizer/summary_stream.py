"""Stream of a summary: chunks are published while the model writes."""

import structlog

from tarsy_bus.publisher import NotWrittenError, Publisher
from tarsy_contracts.chunks import SummaryChunk
from tarsy_contracts.ids import derived_id
from tarsy_contracts.requests import SummaryRequest
from tarsy_masking.streaming import MaskedStream

log = structlog.get_logger(__name__)


class SummaryStream:
    """The chunks of one run. A chunk that Kafka does not take is left out: the final text replaces them all."""

    def __init__(self, publisher: Publisher, request: SummaryRequest, stream: MaskedStream, *, run: int) -> None:
        self._publisher = publisher
        self._request = request
        self._stream = stream
        self._run = run
        self._index = 0

    async def take(self, text: str) -> None:
        """Sends when a line is complete, or long: few words at a time would be a record each."""
        await self._send(self._stream.take(text))

    async def finish(self) -> None:
        await self._send(self._stream.rest())

    async def _send(self, text: str) -> None:
        if not text:
            return
        call_id, session_id = self._request.call_id, self._request.session_id
        chunk = SummaryChunk(
            call_id=call_id,
            execution_id=self._request.execution_id,
            run=self._run,
            index=self._index,
            text=text,
        )
        self._index += 1
        id = derived_id("chunk", call_id, self._run, chunk.index)
        try:
            await self._publisher.publish(
                self._publisher.topics.stream, chunk, key=session_id, id=id, subject=session_id
            )
        except NotWrittenError:
            log.warning("chunk.not_written", call_id=call_id, index=chunk.index)
