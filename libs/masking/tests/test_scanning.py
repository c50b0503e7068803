"""One pass over many patterns finds what each of them finds alone, however long the lines and the secrets are."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from masking_texts import PATTERNS, TEXTS

from tarsy_masking.masker import Masker
from tarsy_masking.patterns import Pattern, read_patterns
from tarsy_masking.scanning.scanner import Scan

FILE = read_patterns()
MASKER = Masker.default().with_rules({"all"}, ())
ALONE = {pattern.name: Scan(FILE, [pattern], pattern.span) for pattern in PATTERNS}
TOGETHER = {span: Scan(FILE, PATTERNS, span) for span in ("line", "text")}


@settings(max_examples=300, deadline=None)
@given(TEXTS)
@example("DefaultPassword    REG_SZ    hunter2'password' => 'hunter two'")
@example('DefaultPassword    REG_SZ    hunter2ENV["API_TOKEN"] ||= "a b"')
@example("setx DB_PASSWORD hunter2define('DB_PASSWORD', 'hunter two');")
@example("setx DB_PASSWORD hunter2password => hunter2000")
def test_what_a_pattern_finds_alone_all_find_together(text: str) -> None:
    raw = text.encode(errors="replace")
    for span, scan in TOGETHER.items():
        found = scan.find(raw)
        for pattern in PATTERNS:
            if pattern.span == span:
                for edit in ALONE[pattern.name].find(raw):
                    assert any(one.start < edit.stop and edit.start < one.stop for one in found), edit


@pytest.mark.parametrize(
    "before", ["aws_secret_access_key = fakefakefake/fakefakefake+fake", "token=a1b2c3/fakeFAKE99x/"]
)
def test_a_value_that_ends_with_the_name_of_the_next_secret_does_not_hide_it(before: str) -> None:
    secret = "q7Rk2LpX9vTz4WmB8nYc3HdJ6fGs1KaQ"
    for name in ("sessionKey: ", "password=", "Token: "):
        assert secret not in Masker.default().mask(before + name + secret)


@pytest.mark.parametrize(
    "before", ["the token is expired ", "api key is old for kim, ", "password of kim is wrong for secret "]
)
def test_what_is_no_secret_does_not_hide_the_name_in_it(before: str) -> None:
    assert "hunter2000" not in MASKER.mask(f"{before}password = hunter2000")


@pytest.mark.parametrize("length", [100, 1_000, 10_000, 100_000])
@pytest.mark.parametrize(
    ("before", "unit", "after"),
    [
        ("password=", "aB3x", " user=shop"),
        ('{"token": "', "aB3x", '"}'),
        ("postgres://shop:", "aB3x", "@db/shop"),
        ("Authorization: Bearer ", "aB3x", ""),
        ("ghp_", "aB3x", " x"),
        ("eyJhbGciOiJub25lIn0.", "aB3x", " end"),
        ("-----BEGIN PRIVATE KEY-----\n", "QUJDQUJDQUJDQUJDQUJDQUJD\n", "-----END PRIVATE KEY-----"),
        ("kind: Secret\ndata:\n  a: ", "aB3x", "\n"),
        ('{"kind":"Secret","data":{"a":"', "aB3x", '"}}'),
    ],
)
def test_a_secret_goes_whole_however_long_it_is(before: str, unit: str, after: str, length: int) -> None:
    masked = MASKER.mask("x " * 500 + before + unit * (length // len(unit)) + after)

    assert unit not in masked.removeprefix("x " * 500 + before)
    assert after.split("@")[-1].strip('"}') in masked


def test_a_longer_find_of_a_later_pattern_is_seen_whole() -> None:
    patterns = [made("short", "ab"), made("long", "abx+")]

    assert [edit.stop for edit in Scan(FILE, patterns, "line").find(b"abxx" * 2 + b"ab" + b"x" * 9_000)] == [
        4,
        8,
        9_010,
    ]


def test_finds_that_overlap_become_one() -> None:
    found = Scan(FILE, [made("one", "abc"), made("two", "bcd")], "line").find(b"xabcdx")

    assert [(edit.start, edit.stop, edit.secret, edit.rule) for edit in found] == [(1, 5, b"abcd", "one")]


def made(name: str, regex: str) -> Pattern:
    return Pattern(name, name, "line", "", by_name=False, any_regexes=(regex,), regexes=((regex, "[MASKED_X]"),))


@given(st.integers(0, 3000))
def test_a_secret_is_found_wherever_it_stands_in_a_long_line(before: int) -> None:
    masked = MASKER.mask("x" * before + " password=hunter2 " + "y" * 3000)

    assert "hunter2" not in masked
    assert masked.endswith("y" * 3000)
