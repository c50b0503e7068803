"""JSON values: strings are masked where they are, and beside telling keys whatever they look like."""

import pytest

from tarsy_masking.json_value import JsonValue
from tarsy_masking.masker import REDACTED, Masker

MASKER = Masker.default()


@pytest.mark.parametrize(
    ("value", "masked"),
    [
        ({"password": "x"}, {"password": "[MASKED_PASSWORD]"}),
        ({"dbPassword": 4711}, {"dbPassword": "[MASKED_PASSWORD]"}),
        ({"X-Api-Key": ["a", "b"]}, {"X-Api-Key": ["[MASKED_API_KEY]", "[MASKED_API_KEY]"]}),
        ({"aws": {"SecretAccessKey": "x"}}, {"aws": {"SecretAccessKey": "[MASKED_SECRET_KEY]"}}),
        ({"name": "DB_PASSWORD", "value": "x"}, {"name": "DB_PASSWORD", "value": "[MASKED_PASSWORD]"}),
        (["psql postgres://a:b@c/d"], ["psql postgres://a:[MASKED_PASSWORD]@c/d"]),
    ],
)
def test_secrets_go(value: JsonValue, masked: JsonValue) -> None:
    assert MASKER.mask_json(value) == masked


@pytest.mark.parametrize(
    "value",
    [
        {"secret": {"secretName": "checkout-credentials", "optional": False}},
        {"automountServiceAccountToken": True, "token": None, "password": ""},
        {"usage": {"max_tokens": 4096, "tokens": 12}},
        {"name": "LOG_LEVEL", "value": "debug"},
        [1, 2.5, None, True, "restarts"],
    ],
)
def test_what_is_no_secret_stays(value: JsonValue) -> None:
    assert MASKER.mask_json(value) == value


def test_a_kubernetes_secret_keeps_its_keys_and_loses_its_data() -> None:
    secret: JsonValue = {
        "kind": "Secret",
        "metadata": {"name": "db"},
        "data": {"url": "eA=="},
        "stringData": {"a": "b"},
    }

    assert MASKER.mask_json({"items": [secret]}) == {
        "items": [
            {
                "kind": "Secret",
                "metadata": {"name": "db"},
                "data": {"url": "[MASKED_SECRET_DATA]"},
                "stringData": {"a": "[MASKED_SECRET_DATA]"},
            }
        ]
    }


def test_the_items_of_a_secret_list_need_no_kind() -> None:
    value: JsonValue = {"kind": "SecretList", "items": [{"data": {"a": "eA=="}}]}

    assert MASKER.mask_json(value) == {"kind": "SecretList", "items": [{"data": {"a": "[MASKED_SECRET_DATA]"}}]}


def test_a_name_that_is_a_secret_itself_goes_and_one_that_tells_of_a_secret_stays() -> None:
    one, two = "ghp_" + "a1B2c3D4e5" * 3, "ghp_" + "b1B2c3D4e5" * 3
    value: JsonValue = {"seen": {one: 3, two: 4, "password": "x", "api_key": None}}

    assert MASKER.mask_json(value) == {
        "seen": {
            "[MASKED_GITHUB_TOKEN]": 3,
            "[MASKED_GITHUB_TOKEN] (2)": 4,
            "password": "[MASKED_PASSWORD]",
            "api_key": None,
        }
    }


def test_in_a_session_names_and_values_have_the_same_digits() -> None:
    token = "ghp_" + "a1B2c3D4e5" * 3
    session = Masker.default(b"a key of thirty-two bytes or more").for_session("session-1")

    [(name, inside)] = session.mask_json({token: [token]}).items()  # type: ignore[union-attr]

    assert inside == [name]
    assert name.startswith("[MASKED_GITHUB_TOKEN_")


def test_a_config_map_stays() -> None:
    value: JsonValue = {"kind": "ConfigMap", "data": {"LOG_LEVEL": "debug"}}

    assert MASKER.mask_json(value) == value


def test_what_is_nested_too_deeply_is_redacted_there() -> None:
    value: JsonValue = "deep"
    for _ in range(5_000):
        value = [value]

    masked = MASKER.mask_json(value)

    depth = 0
    while isinstance(masked, list):
        masked, depth = masked[0], depth + 1
    assert masked == REDACTED
    assert depth < 100


def test_what_is_no_json_is_redacted() -> None:
    assert MASKER.mask_json({"a": b"bytes"}) == {"a": REDACTED}  # type: ignore[dict-item]
