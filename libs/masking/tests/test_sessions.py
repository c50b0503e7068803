"""Placeholders of a session: the same secret the same digits, wherever it stands and however it is written."""

import json
import re

import pytest
from hypothesis import given, settings
from masking_texts import JSON, TEXTS

from tarsy_masking.json_value import JsonValue
from tarsy_masking.masker import REDACTED, Masker

DEFAULT = Masker.default(b"a key of thirty-two bytes or more")
SESSION = DEFAULT.for_session("session-1")
OTHER = DEFAULT.for_session("session-2")
ALL_RULES = DEFAULT.with_rules({"all"}, ())
EVERYTHING = ALL_RULES.for_session("session-1")
DIGITS = re.compile(r"\[MASKED_[A-Z0-9_]+_([0-9a-f]{8})\]")


def digits(text: str) -> list[str]:
    return DIGITS.findall(text)


SECRET = "q7Rk2/LpX9v"
FORMS = {
    "an assignment": f"DB_PASSWORD={SECRET}",
    "an address": f"postgres://shop:{SECRET}@db:5432/shop",
    "an escaped address": "postgres://shop:q7Rk2%2FLpX9v@db:5432/shop",
    "a connection string": f"Server=db;User Id=shop;Password={SECRET};Encrypt=true",
    "YAML": f"  password: {SECRET}\n",
    "quoted YAML": f"password: '{SECRET}'\n",
    "JSON": json.dumps({"password": SECRET}),
    "JSON in JSON": json.dumps({"body": json.dumps({"password": SECRET})}),
    "a flag": f"migrate --db-password {SECRET}",
    "an environment": f"- name: DB_PASSWORD\n  value: {SECRET}\n",
    "an environment in JSON": json.dumps({"name": "DB_PASSWORD", "value": SECRET}),
    "a Secret": f"kind: Secret\nstringData:\n  a: {SECRET}\n",
    "a Secret in a block": f"kind: Secret\nstringData:\n  a: |\n    {SECRET}\n",
    "a Secret in JSON": json.dumps({"kind": "Secret", "stringData": {"a": SECRET}}),
    "a Secret in an annotation": json.dumps({"a": json.dumps({"kind": "Secret", "stringData": {"a": SECRET}})}),
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS.keys())
def test_the_same_secret_has_the_same_digits_in_every_form(text: str) -> None:
    masked = SESSION.mask(text)

    assert SECRET not in masked
    assert digits(masked) == digits(SESSION.mask(f"password={SECRET}"))


@pytest.mark.parametrize(
    "value",
    [
        {"password": SECRET},
        {"name": "DB_PASSWORD", "value": SECRET},
        {"kind": "Secret", "stringData": {"a": SECRET}},
        {"kind": "SecretList", "items": [{"data": {"a": SECRET}}]},
        [f"postgres://shop:{SECRET}@db/shop"],
    ],
)
def test_values_of_json_have_the_digits_that_text_has(value: JsonValue) -> None:
    assert digits(json.dumps(SESSION.mask_json(value))) == digits(SESSION.mask(f"password={SECRET}"))


def test_a_number_has_the_digits_of_its_text() -> None:
    assert SESSION.mask_json({"password": 4711}) == {
        "password": SESSION.mask("password=4711").removeprefix("password=")
    }


def test_other_secrets_sessions_and_keys_have_other_digits() -> None:
    text = "password=hunter2"
    another_key = Masker.default(b"another key of more than thirty bytes").for_session("session-1")

    seen = {digits(masker.mask(text))[0] for masker in (SESSION, OTHER, another_key)}

    assert len(seen | {digits(SESSION.mask("password=hunter3"))[0]}) == 4


def test_outside_of_a_session_a_key_makes_no_difference() -> None:
    """The websocket-gateway has none for the names of logins."""
    assert DEFAULT.mask("password=hunter2") == Masker.default().mask("password=hunter2") == "password=[MASKED_PASSWORD]"


def test_without_a_key_there_are_no_digits() -> None:
    assert Masker.default().for_session("session-1").mask("password=hunter2") == "password=[MASKED_PASSWORD]"


@pytest.mark.parametrize(
    ("masker", "other"),
    [(SESSION, OTHER), (EVERYTHING, ALL_RULES.for_session("session-2"))],
    ids=["default", "everything"],
)
@settings(max_examples=300, deadline=None)
@given(text=TEXTS)
def test_masked_text_stays_as_it_is_in_every_session(masker: Masker, other: Masker, text: str) -> None:
    once = masker.mask(text)

    assert masker.mask(once) == once
    assert other.mask(once) == once
    assert once != REDACTED


@settings(max_examples=100, deadline=None)
@given(JSON)
def test_masked_json_stays_as_it_is_in_every_session(value: JsonValue) -> None:
    once = SESSION.mask_json(value)

    assert SESSION.mask_json(once) == once
    assert OTHER.mask_json(once) == once
