"""Lines are of one kind when they differ in values with digits only: numbers, times, sizes, ids."""

import re
import string
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsy_summary_prompt.line_kinds import LineKinds

HEX = re.compile(r"[0-9a-fA-F]{8}")
"""Is an id, also without a digit."""
SAFE = "bcdfghjklmnpqrstvwxz2456789"
"""Of which Kubernetes makes the names of pods."""

numbers = st.integers(0, 10**6)
durations = st.one_of(
    st.builds("{}{}".format, numbers, st.sampled_from(["ns", "us", "µs", "ms", "s", "m", "h"])),
    st.builds("{}m{:.1f}s".format, numbers, st.floats(0, 59)),
    st.builds("{:.3f}s".format, st.floats(0, 59)),
)
sizes = st.builds("{}{}".format, numbers, st.sampled_from(["B", "KiB", "MiB", "GB", " MiB", " kB", "Mi", "k", ""]))
hashes = st.text(SAFE, min_size=8, max_size=10).filter(lambda one: any(letter.isdigit() for letter in one))
pods = st.builds("checkout-{}-{}".format, hashes, st.text(SAFE, min_size=5, max_size=5))
uuids = st.uuids().map(str)
QUIET = "bgjkqvyz"
"""Letters that make no word of trouble: lines of another weight are of another kind."""
ids = st.builds("{}{}{}".format, st.integers(0, 99), st.text(QUIET, min_size=1, max_size=4), numbers)
names = st.builds("{}{}".format, st.text(QUIET, max_size=8), numbers)
quoted = names.map('"{}"'.format)
segments = names.map("/orders/{}/items".format)

VALUES = {
    "number": numbers.map(str),
    "duration": durations,
    "size": sizes,
    "pod": pods,
    "UUID": uuids,
    "short id": ids,
    "quoted value": quoted,
    "segment of a path": segments,
}
FRAMES = [
    "{word} served {value} to {other}",
    '{{"level":"info","msg":"{word} is done","value":{value},"word":"{other}"}}',
    "level=info {word}={value} for=/{other}/status",
    "{word} ({other}): {value}, retrying",
]

frames = st.sampled_from(FRAMES)
words = st.text(string.ascii_letters, min_size=2, max_size=9).filter(lambda word: not HEX.search(word))


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES.keys())
@given(data=st.data(), frame=frames, word=words, other=words)
def test_lines_that_differ_in_one_value_are_of_one_kind(
    values: st.SearchStrategy[str], data: st.DataObject, frame: str, word: str, other: str
) -> None:
    one, two = (frame.format(word=word, other=other, value=data.draw(values)) for _ in range(2))
    assert are_alike(one, two)


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES.keys())
@given(data=st.data(), frame=frames, word=words, others=st.lists(words, min_size=2, max_size=2, unique=True))
def test_lines_that_differ_in_a_word_are_of_two_kinds(
    values: st.SearchStrategy[str], data: st.DataObject, frame: str, word: str, others: list[str]
) -> None:
    one, two = (frame.format(word=word, other=other, value=data.draw(values)) for other in others)
    assert not are_alike(one, two)


@pytest.mark.parametrize(
    ("line", "alike"),
    [
        ("took 12 ms", "took 7 ms"),
        ("took 12ms", "took 1m3.5s"),
        ("usage 0.93", "usage 1"),
        ("trace 0a1b2c3d4e5f", "trace ffffffffffffffff"),
        ("trace 12345678 of 3", "trace deadbeef of 12"),
        (f"request {UUID(int=7)}", f"request {UUID(int=2**127 + 2**60)}"),
        (f"request {UUID(int=7)}", "request 6f1c9a0e-aaaa-bbbb-cccc-dddddddddddd"),
        ("pod api-5d4b8c6f7-xkqzp is ready", "pod api-7c9f8d6b5x-2m4n8 is ready"),
        ("pod fluentd-x2k4q is ready", "pod fluentd-kqxz7 is ready"),
        ('{"user":"ana7"}', '{"user":"bob12"}'),
        ("GET /users/ana7/cart", "GET /users/bob12/cart"),
        ("12345678fail", "87654321fail"),
        ("at ٣ o'clock", "at 12 o'clock"),
    ],
)
def test_these_lines_are_of_one_kind(line: str, alike: str) -> None:
    assert are_alike(line, alike)


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ('{"level":"error","ms":12}', '{"level":"info","ms":12}'),
        ('{"user":"ana7","is":true}', '{"user":"ana7","is":false}'),
        ('{"n":1,"is":true,"m":"a"}', '{"n":1,"is":false,"m":"a"}'),
        ('{"msg": "s3"}', '{"msg": "ec2"}'),
        ('{"p99":1,"s3":2}', '{"p99":1,"ec2":2}'),
        ("I1122 11:22:33 proxier.go", "W1122 11:22:33 proxier.go"),
        ("reading from s3", "reading from ec2"),
        ("GET /users/7/cart", "GET /users/7/orders"),
        ('"GET /users/7" 200', '"GET /orders/7" 200'),
        ('{"p50":1}', '{"p50x":1}'),
        ("12345678fail", "12345678crib"),
    ],
)
def test_these_lines_are_of_two_kinds(line: str, other: str) -> None:
    assert not are_alike(line, other)


def are_alike(line: str, other: str) -> bool:
    first, second = LineKinds().of([line, other])
    return first.key == second.key
