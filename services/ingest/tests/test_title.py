"""Every alert has a title: what its sender says it is, or else what it begins with."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tarsy_ingest.intake.alert_masking import AlertMaskers, mask_alert
from tarsy_ingest.intake.json_fields import objects_in
from tarsy_ingest.intake.title import cut_at_word, derive_title
from tarsy_ingest.raw_alert import RawAlert
from tarsy_masking.masker import Masker

BUILT_IN = Masker.default(bytes(range(32)))
MASKING = AlertMaskers(BUILT_IN, BUILT_IN)
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
PLAIN = RawAlert(session_id="s-1", alert_type="kubernetes", data="disk full", source="api", author="bob")


def title_of(data: Any, given: str = "") -> str:
    return mask_alert(replace(PLAIN, data=data, title=given), MASKING).title


@pytest.mark.parametrize(
    ("data", "title"),
    [
        ("disk full on db-1\nsince noon", "disk full on db-1"),
        ("\n  \n\t disk   full \n", "disk full"),
        ("# Disk full\n\nSince noon.", "Disk full"),
        ("-----\n=====\ndisk full", "disk full"),
        ({"summary": "Disk full", "name": "x"}, "Disk full"),
        ({"labels": {"alertname": "DiskFull"}, "annotations": {"summary": "Disk full"}}, "Disk full"),
        ({"labels": {"alertname": "DiskFull"}}, "DiskFull"),
        (json.dumps({"message": "disk\nfull"}), "disk full"),
        ([{"title": "Disk full"}], "Disk full"),
        ({"host": "db-1", "free": 0}, '{ "host": "db-1", "free": 0 }'),
        ("[]", "[]"),
        ("...", "..."),
        ("\n \n\N{FIRE} \N{FIRE}\n!!!", "\N{FIRE} \N{FIRE}"),
        ("[" * 5_000 + "]" * 5_000, "[" * 119 + "…"),
    ],
)
def test_an_alert_without_a_title_is_headed_by_what_it_says(data: Any, title: str) -> None:
    assert title_of(data) == title


def test_a_title_that_was_given_comes_first() -> None:
    assert title_of({"summary": "Disk full"}, "Database down") == "Database down"


def test_a_long_line_is_cut_at_a_word() -> None:
    title = title_of("disk full " * 50)
    assert title.endswith((" disk…", " full…"))
    assert 100 < len(title) <= 120
    assert len(title_of("x" * 500)) == 120


def test_a_title_that_was_given_may_be_longer_and_is_cut_at_a_word_too() -> None:
    title = title_of("x", "disk full " * 50)
    assert title.endswith("…")
    assert 290 < len(title) <= 300


def test_a_secret_in_the_first_line_is_masked_whole_before_the_line_is_cut() -> None:
    for ahead in range(60, 125):
        assert "ghp_" not in title_of("x" * ahead + f" {TOKEN} and more")


def test_a_secret_that_only_one_line_makes_is_masked() -> None:
    assert "hunter2" not in title_of(json.dumps({"message": "password:\nhunter2-secret"}))


def test_a_megabyte_is_not_looked_at_whole() -> None:
    assert len(derive_title("x" * 1_000_000, ())) == 2_000
    objects = objects_in(json.dumps({"message": "x y" * 300_000}))
    assert len(derive_title("", [found.fields for found in objects])) <= 2_000


@pytest.mark.parametrize(
    ("text", "most", "expected"), [("one two", 7, "one two"), ("one two", 6, "one…"), ("abcdefgh", 4, "abc…")]
)
def test_a_cut_shows_that_there_is_more(text: str, most: int, expected: str) -> None:
    assert cut_at_word(text, most) == expected
