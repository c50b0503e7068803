"""Kubernetes Secrets in text: YAML and JSON, whole, in lists, cut off, or in the middle of something else."""

import json
from textwrap import dedent

import pytest

from tarsy_masking.masker import Masker

MASKER = Masker.default()
MASKED = "[MASKED_SECRET_DATA]"


def masked(text: str) -> str:
    return MASKER.mask(dedent(text).lstrip("\n"))


def test_the_data_of_a_yaml_secret_goes_and_its_keys_stay() -> None:
    text = """
        apiVersion: v1
        data:
          url: cG9zdGdyZXM6Ly8=
          cert: |
            bGluZSBvbmU=
            bGluZSB0d28=
        kind: Secret
        metadata:
          name: db
        stringData: {plain: hunter}
        type: Opaque
        """
    assert masked(text) == dedent(f"""\
        apiVersion: v1
        data:
          url: {MASKED}
          cert: {MASKED}
        kind: Secret
        metadata:
          name: db
        stringData: {MASKED}
        type: Opaque
        """)


@pytest.mark.parametrize("dash", ["- ", "  - "])
def test_only_the_secrets_of_a_yaml_list_are_masked(dash: str) -> None:
    indent = " " * len(dash)
    items = [
        f"{dash}apiVersion: v1\n{indent}data:\n{indent}  a: {word}\n{indent}kind: {kind}\n"
        for kind, word in (("ConfigMap", "stays"), ("Secret", "Z29lcw=="), ("ConfigMap", "remains"))
    ]

    result = MASKER.mask("apiVersion: v1\nitems:\n" + "".join(items) + "kind: List\n")

    assert "Z29lcw==" not in result
    assert "stays" in result
    assert "remains" in result


def test_only_the_secret_among_several_documents_is_masked() -> None:
    text = """
        kind: ConfigMap
        data:
          a: stays
        ---
        kind: Secret
        data:
          a: Z29lcw==
        ---
        kind: ConfigMap
        data:
          a: remains
        """
    assert masked(text) == dedent(text).lstrip("\n").replace("Z29lcw==", MASKED)


def test_the_items_of_a_yaml_secret_list_need_no_kind() -> None:
    assert masked("""
        apiVersion: v1
        items:
        - data:
            a: Z29lcw==
          metadata: {}
        kind: SecretList
        """) == dedent(f"""\
        apiVersion: v1
        items:
        - data:
            a: {MASKED}
          metadata: {{}}
        kind: SecretList
        """)


def test_a_manifest_that_is_cut_off_or_stands_in_a_log_is_masked() -> None:
    log = "12:00 INFO applying\nkind: Secret\ndata:\n  a: Z29lcw==\n12:01 INFO done\n"

    assert MASKER.mask(log) == log.replace("Z29lcw==", MASKED)
    assert MASKER.mask("kind: 'Secret' # x\ndata:\n  a: Z29l") == f"kind: 'Secret' # x\ndata:\n  a: {MASKED}"


SECRET = {"apiVersion": "v1", "kind": "Secret", "data": {"a": "Z29lcw=="}, "stringData": {"b": "{x} gone"}}
CONFIG_MAP = {"kind": "ConfigMap", "data": {"a": "stays"}}


@pytest.mark.parametrize("indent", [None, 2])
def test_only_the_secrets_of_a_json_list_are_masked(indent: int | None) -> None:
    result = json.loads(MASKER.mask(json.dumps({"kind": "List", "items": [CONFIG_MAP, SECRET]}, indent=indent)))

    assert result["items"] == [CONFIG_MAP, {**SECRET, "data": {"a": MASKED}, "stringData": {"b": MASKED}}]


def test_json_without_a_secret_keeps_its_form() -> None:
    text = '{"kind":   "ConfigMap", "data": {"about": "kind of Secret"}}'

    assert MASKER.mask(text) == text


def test_a_secret_in_an_annotation_is_masked() -> None:
    text = json.dumps({"kind": "Pod", "annotations": {"last-applied": json.dumps(SECRET)}})

    assert "Z29lcw==" not in MASKER.mask(text)
    assert "gone" not in MASKER.mask(text)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(SECRET)[:-20],
        json.dumps(SECRET, indent=2)[:-30],
        f"12:00 INFO object={json.dumps(SECRET)} applied",
        f"12:00 INFO object={json.dumps(json.dumps(SECRET))} applied",
    ],
    ids=["cut off", "cut off in lines", "in a log line", "quoted in a log line"],
)
def test_json_that_cannot_be_parsed_loses_all_its_data(text: str) -> None:
    assert "Z29l" not in MASKER.mask(text)


@pytest.mark.parametrize(
    "first", ["kind: Secret\n", "apiVersion: v1\nkind: Secret\n", "data:\n  b: Z29sZA==\nkind: Secret\n"]
)
def test_a_manifest_that_is_a_string_of_json_loses_its_data(first: str) -> None:
    text = json.dumps({"ts": 5, "text": f"{first}stringData:\n  a: Z29lcw==\nmetadata:\n  name: db\n", "level": "info"})

    masked = MASKER.mask(f"{text}\n{text}\n")

    assert "Z29" not in masked
    assert masked.count('"level": "info"') == 2
    assert masked.count("name: db") == 2
