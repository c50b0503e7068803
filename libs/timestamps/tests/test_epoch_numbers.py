from datetime import UTC, datetime

import pytest

from tarsy_timestamps.epoch_numbers import find_epochs

NEAR = datetime(2026, 11, 23, 12, tzinfo=UTC)
AT = datetime(2026, 11, 18, 22, 13, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        '{"ts":1795040000,"ms":12}',
        '{"ts": "1795040000"}',
        '{"createdAt":1795040000000}',
        '{"startTimeUnixNano":"1795040000000000000"}',
        "expires_at=1795040000 key=7",
        "cached until: 1795040000",
        "lease 7 was renewed at 1795040000000 by node-3",
        '{"metric":{},"value":[1795040000,"0.5"]}',
        '{"values":[[1795040000,"0.5"]]}',
        "1795040000 connected",
        "first\n1795040000 connected",
        "exp=1795040000",
        "ts_us=1795040000000000",
    ],
)
def test_numbers_that_are_times_are_found(text: str) -> None:
    found = list(find_epochs(text, NEAR))
    assert [one.moment for one in found] == [AT]
    assert text[: found[0].end].endswith("000")


@pytest.mark.parametrize(
    "text",
    [
        "heap=1795040000 bytes",
        '{"bytes":1795040000}',
        '{"tweet":1795040000000000000}',
        "timeout=1795040000",
        "order-1795040000000 is paid",
        "v1795040000000",
        "ts=1073741824",
        "at 17950400000001",
        "rate 1795040000.5.7",
        "updates=1795040000",
    ],
)
def test_other_numbers_are_not(text: str) -> None:
    assert list(find_epochs(text, NEAR)) == []


def test_fractions_of_seconds_are_kept() -> None:
    assert next(find_epochs("ts=1795040000.25", NEAR)).moment == AT.replace(microsecond=250_000)
    assert next(find_epochs("at 1795040000250", NEAR)).moment == AT.replace(microsecond=250_000)
