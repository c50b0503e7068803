"""What a configuration adds: opt-in patterns and groups by Go TARSy's names, and patterns of its own."""

import re

import pytest

from tarsy_masking.masker import Masker
from tarsy_masking.patterns import read_patterns
from tarsy_masking.rules import CustomPattern, InvalidPatternsError

DEFAULT = Masker.default()
SESSION = Masker.default(b"a key of thirty-two bytes or more").for_session("session-1")
GO_PATTERNS = {
    "api_key",
    "password",
    "certificate",
    "certificate_authority_data",
    "token",
    "email",
    "ssh_key",
    "base64_secret",
    "base64_short",
    "private_key",
    "secret_key",
    "aws_access_key",
    "aws_secret_key",
    "github_token",
    "slack_token",
}
GO_GROUPS = {"basic", "secrets", "security", "kubernetes", "cloud", "all"}


def test_every_name_of_go_tarsy_is_known() -> None:
    assert GO_PATTERNS | GO_GROUPS | {"kubernetes_secret"} <= read_patterns().known_names
    for name in read_patterns().known_names:
        DEFAULT.with_rules([name], ())


def test_an_opt_in_pattern_is_added_by_its_name_and_by_its_group() -> None:
    text = "from shop@example.com"

    assert DEFAULT.mask(text) == text
    assert DEFAULT.with_rules(["email"], ()).mask(text) == "from [MASKED_EMAIL]"
    assert DEFAULT.with_rules(["security"], ()).mask(text) == "from [MASKED_EMAIL]"
    assert DEFAULT.with_rules(["cloud"], ()).mask(text) == text


def test_card_numbers_are_masked_where_they_are_asked_for() -> None:
    text = "card=4111111111111111 order=4111111111111112"

    assert DEFAULT.mask(text) == text
    for name in ("card_number", "personal", "all"):
        assert DEFAULT.with_rules([name], ()).mask(text) == "card=[MASKED_CARD_NUMBER] order=4111111111111112"
    value = DEFAULT.with_rules(["personal"], ()).mask_json({"card": "4111 1111 1111 1111", "epoch": 1795000000123})
    assert value == {"card": "[MASKED_CARD_NUMBER]", "epoch": 1795000000123}


@pytest.mark.parametrize("digit", "0123456789")
def test_one_check_digit_of_ten_makes_a_card_number(digit: str) -> None:
    masker = DEFAULT.with_rules(["card_number"], ())

    assert (masker.mask(f"card 411111111111111{digit}") == "card [MASKED_CARD_NUMBER]") == (digit == "1")


def test_the_default_rules_stay() -> None:
    assert DEFAULT.with_rules(["basic"], ()).mask("token=abcdef") == "token=[MASKED_TOKEN]"


LEAKS = [
    "postgres://checkout:fake-0rders-Pa55@orders-db.shop.svc:5432/orders",
    "smtp://bot@shop.example:fake-0rders-Pa55@mail.shop.example:587",
    "password: ZmFrZWZha2VmYWtlZmFrZQ==",
    "curl -u bot@shop.example:fake-0rders-Pa55 https://shop.example",
]


@pytest.mark.parametrize("text", LEAKS)
def test_what_is_added_leaves_the_placeholders_of_the_built_in_rules(text: str) -> None:
    [placeholder] = re.findall(r"\[MASKED_\w+\]", SESSION.mask(text))
    adding = SESSION.with_rules(["all"], [CustomPattern(r"[\w.-]+@\S+", "[MASKED_ADDRESS]")])

    assert placeholder in SESSION.with_rules(["all"], ()).mask(text)
    assert "fake-0rders" not in adding.mask(text)
    assert adding.mask(adding.mask(text)) == adding.mask(text)


@pytest.mark.parametrize("pattern", [r"[0-9a-f]{4}", "PASSWORD", "MASKED", r"_\w+", r"\["])
def test_no_custom_pattern_takes_a_part_of_a_placeholder(pattern: str) -> None:
    text = "postgres://shop:hunter2@db/shop"

    assert SESSION.with_rules((), [CustomPattern(pattern, "[MASKED_X]")]).mask(text) == SESSION.mask(text)


def test_a_custom_pattern_may_take_more_than_a_placeholder() -> None:
    masker = DEFAULT.with_rules((), [CustomPattern(r"owner=.*", "owner=[MASKED_OWNER]")])

    assert masker.mask("owner=Kim, password=hunter2") == "owner=[MASKED_OWNER]"


def test_what_an_added_pattern_leaves_is_looked_at_by_the_built_in_rules_again() -> None:
    masker = DEFAULT.with_rules((), [CustomPattern(r"\(comment\) ", "")])

    assert masker.mask("pass(comment) word=hunter2") == "password=[MASKED_PASSWORD]"


@pytest.mark.parametrize(
    ("pattern", "replacement", "text", "masked"),
    [
        (r"badge-\d+", "[MASKED_BADGE]", "badge-4711 enters", "[MASKED_BADGE] enters"),
        (r"(badge-)(\d+)", "$1[MASKED_BADGE]", "badge-4711 enters", "badge-[MASKED_BADGE] enters"),
        (r"(?P<kind>badge)-\d+", "${kind}-***", "badge-4711 enters", "badge-*** enters"),
        (r"price \d+", "$$", "price 12", "$"),
        (r"größe \d+", "größe ?", "größe 12", "größe ?"),
        (r"(?s)begin.*end", "[MASKED_BLOCK]", "a begin\nx\nend b", "a [MASKED_BLOCK] b"),
    ],
)
def test_a_custom_pattern_replaces_as_go_would(pattern: str, replacement: str, text: str, masked: str) -> None:
    masker = DEFAULT.with_rules((), [CustomPattern(pattern, replacement)])

    assert masker.mask(text) == masked
    assert masker.mask(masked) == masked


def test_in_a_session_a_custom_label_tells_what_the_replacement_does_not_keep() -> None:
    masker = SESSION.with_rules((), [CustomPattern(r"(badge|card)-(\d+)", "$1-[MASKED_BADGE]")])

    first, second, third = masker.mask("badge-4711 card-4711 card-4712").split()

    assert first.removeprefix("badge") == second.removeprefix("card") != third.removeprefix("card")
    assert masker.mask(first) == first
    assert masker.for_session("session-2").mask(first) == first


def test_what_a_custom_pattern_wrote_keeps_its_digits() -> None:
    masker = SESSION.with_rules((), [CustomPattern(r"owner=.*", "owner=[MASKED_OWNER]")])

    once = masker.mask("owner=Kim Doe")

    assert once.startswith("owner=[MASKED_OWNER_")
    assert masker.mask(once) == masker.for_session("session-2").mask(once) == once


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(InvalidPatternsError) as raised:
        DEFAULT.with_rules(
            ["emial"],
            [
                CustomPattern("(", "x"),
                CustomPattern("(?=x)", "x"),
                CustomPattern("x*", "x"),
                CustomPattern("(x)", "$2"),
                CustomPattern(r"\d+", "[NUMBER1]"),
                CustomPattern("fine", "x"),
            ],
        )

    assert [mistake.subject for mistake in raised.value.mistakes] == ["emial", "(", "(?=x)", "x*", "(x)", r"\d+"]
    assert "emial" in str(raised.value)
    assert all(mistake.reason for mistake in raised.value.mistakes)


def test_many_custom_patterns_all_apply() -> None:
    patterns = [CustomPattern(f"word{number}x", f"[MASKED_W{number}]") for number in range(20)]
    masker = DEFAULT.with_rules((), patterns)

    masked = masker.mask(" ".join(f"word{number}x" for number in range(20)))

    assert masked == " ".join(f"[MASKED_W{number}]" for number in range(20))
