"""What `findings` tells: rule and place of everything that `mask` replaces, and nothing of the secrets."""

from hypothesis import given, settings
from masking_texts import TEXTS

from tarsy_masking.edits import AppliedEdit, EditHistory, rewrite
from tarsy_masking.findings import Finding
from tarsy_masking.masker import Masker
from tarsy_masking.rules import CustomPattern

DEFAULT = Masker.default()
SESSION = Masker.default(b"a key of thirty-two bytes or more").for_session("session-1")


def with_placeholders(text: str) -> str:
    lines = text.split("\n")
    masked, end = "", 0
    for finding in SESSION.findings(text):
        start = sum(len(line) + 1 for line in lines[: finding.line - 1]) + finding.column - 1
        assert start >= end
        masked += text[end:start] + finding.placeholder
        end = start + finding.length
    return masked + text[end:]


def test_findings_are_told_in_the_order_of_the_text() -> None:
    text = (
        "größe\nDB_PASSWORD=hunter2 x\nkind: Secret\ndata:\n  b: Z29lcw==\n  a: Z29lcw==\n---\nurl: redis://:pä@cache\n"
    )

    assert DEFAULT.findings(text) == [
        Finding("assignment", 2, 13, 7, "[MASKED_PASSWORD]"),
        Finding("kubernetes_secret", 5, 6, 8, "[MASKED_SECRET_DATA]"),
        Finding("kubernetes_secret", 6, 6, 8, "[MASKED_SECRET_DATA]"),
        Finding("url_password", 8, 15, 2, "[MASKED_PASSWORD]"),
    ]


def test_a_custom_pattern_is_told_by_its_number() -> None:
    masker = DEFAULT.with_rules((), [CustomPattern("badge", "[MASKED_BADGE]"), CustomPattern("card", "***")])

    assert [(one.rule, one.placeholder) for one in masker.findings("card badge")] == [
        ("custom_2", "***"),
        ("custom_1", "[MASKED_BADGE]"),
    ]


def test_what_is_masked_as_part_of_something_else_is_told_once() -> None:
    masker = SESSION.with_rules((), [CustomPattern("badge", "[MASKED_BADGE]")])

    findings = masker.findings("é password=badge-1 badge")

    assert [(one.rule, one.column, one.length) for one in findings] == [("assignment", 12, 7), ("custom_1", 20, 5)]


def test_a_find_that_cuts_a_placeholder_keeps_the_rest_of_it() -> None:
    text = "RGAPI-00000000-0000-0000-0000-000000000000PASS=[MASKED_PASSWORD]LTAIfakefakefakefake"

    assert with_placeholders(text) == SESSION.mask(text)


def test_two_edits_that_cut_one_placeholder_are_one_of_the_original() -> None:
    history = EditHistory()
    history.add([AppliedEdit(2, 3, b"[MASKED]", "first")])
    history.add([AppliedEdit(1, 4, b"x", "second"), AppliedEdit(8, 11, b"y", "third")])

    assert rewrite(b"absdef", history.list_applied()) == b"axASKEyef"


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_putting_the_placeholders_where_the_findings_are_gives_the_masked_text(text: str) -> None:
    text = text.encode(errors="replace").decode()

    assert with_placeholders(text) == SESSION.mask(text)
