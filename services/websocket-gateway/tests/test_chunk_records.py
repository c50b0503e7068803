"""Given a record of the stream, when it is read, then this is its chunk."""

from datetime import UTC, datetime

import pytest
from aiokafka import ConsumerRecord

from tarsy_bus.client.record_parsing import UnparsableRecord
from tarsy_contracts.messages.chunks import Chunk, LlmChunk, Progress, SummaryChunk
from tarsy_contracts.wire.envelope import Headers, envelope_of
from tarsy_websocket_gateway.streams.chunk_records import read_chunk

AT = datetime(2026, 11, 27, 10, 0, 0, 123_000, tzinfo=UTC)
WORD = LlmChunk(call_id="l", execution_id="e", run=1, index=0, part="text", text="It ")
SUMMARY = SummaryChunk(call_id="s", execution_id="e", run=1, index=0, text="In short ")
PROGRESS = Progress(call_id="c", run=1, index=0, text="3 of 10")


def headers_of(chunk: Chunk) -> Headers:
    return envelope_of(chunk, id="i", source="tarsy/orchestrator", subject="s", time=AT).headers()


def record(headers: Headers, value: bytes | None) -> "ConsumerRecord[bytes, bytes]":
    return ConsumerRecord("stream", 0, 7, 1, 0, b"s", value, None, 1, len(value or b""), tuple(headers))


def without(name: str) -> Headers:
    return [one for one in headers_of(WORD) if one[0] != name]


@pytest.mark.parametrize("chunk", [WORD, SUMMARY, PROGRESS])
def test_a_chunk_comes_with_the_time_of_its_envelope(chunk: Chunk) -> None:
    assert read_chunk(record(headers_of(chunk), chunk.to_bytes())) == (chunk, AT)


@pytest.mark.parametrize(
    ("headers", "value"),
    [
        (headers_of(WORD), b"{}"),
        (headers_of(WORD), b"no JSON"),
        (headers_of(WORD), None),
        (without("ce_time"), WORD.to_bytes()),
        ([*without("ce_time"), ("ce_time", b"noon")], WORD.to_bytes()),
        ([*without("ce_time"), ("ce_time", b"\xff")], WORD.to_bytes()),
        (without("ce_dataschema"), WORD.to_bytes()),
        ([*without("ce_dataschema"), ("ce_dataschema", b"urn:tarsy:llm.chunk:2")], WORD.to_bytes()),
        ([*without("ce_dataschema"), ("ce_dataschema", b"urn:tarsy:llm.word:1")], WORD.to_bytes()),
        ([], WORD.to_bytes()),
    ],
)
def test_what_is_no_chunk_of_ours_is_passed_over(headers: Headers, value: bytes | None) -> None:
    assert read_chunk(record(headers, value)) is None


def test_a_record_that_could_not_be_parsed_is_passed_over() -> None:
    plain = record(headers_of(WORD), WORD.to_bytes())
    fields = {name: getattr(plain, name) for name in plain.__dataclass_fields__}
    assert read_chunk(UnparsableRecord(**fields, first_offset=7, problem="cut off", damaged=True)) is None
