"""Webhooks: a body is somebody's by its signature, and secrets come from files that only their owner reads."""

import hashlib
import hmac
from pathlib import Path

import pytest

from tarsy_auth.auth_config import WebhookEntry
from tarsy_auth.auth_file import InvalidAuthFileError, read_auth_file
from tarsy_auth.identity import Identity, Refusal
from tarsy_auth.refusals import MALFORMED_SIGNATURE, UNKNOWN_SIGNATURE
from tarsy_auth.roles import Role
from tarsy_auth.webhooks import Webhooks

SECRET = b"a secret of GitHub"
OTHER_SECRET = b"a secret of Gitea\n\xff"
HEADER, GRAFANA_HEADER = "x-hub-signature-256", "x-grafana-alerting-signature"
BODY = b'{"alerts": []}'
KEYS = f"keys:\n  - {{name: ops, role: viewer, sha256: {hashlib.sha256(b'one').hexdigest()}}}\n"


def entry(name: str, secret: bytes, **more: str) -> WebhookEntry:
    return WebhookEntry.model_validate({"name": name, "secret_file": "file", **more}, context=lambda _: secret)


WEBHOOKS = Webhooks(
    [
        entry("github", SECRET),
        entry("gitea", OTHER_SECRET, header="X-HUB-Signature-256"),
        entry("grafana", SECRET, header="X-Grafana-Alerting-Signature"),
    ]
)


def signature(body: bytes = BODY, secret: bytes = SECRET) -> str:
    return hmac.new(secret, body, hashlib.sha256).hexdigest()


def identify(value: str, body: bytes = BODY, header: str = HEADER) -> Identity | Refusal:
    return WEBHOOKS.identify(header, value, body)


def test_whoever_signed_the_body_is_a_responder_by_the_name_of_the_file() -> None:
    assert identify(signature()) == Identity("github", Role.RESPONDER, "webhook", "github")
    assert identify(signature(), header=GRAFANA_HEADER) == Identity("grafana", Role.RESPONDER, "webhook", "grafana")


def test_senders_with_one_header_are_told_apart_by_their_secrets() -> None:
    found = identify(signature(secret=OTHER_SECRET))

    assert isinstance(found, Identity)
    assert found.name == "gitea"


def test_an_empty_body_can_be_signed() -> None:
    assert isinstance(identify(signature(b""), b""), Identity)
    assert identify(signature(b""), b" ") == UNKNOWN_SIGNATURE


@pytest.mark.parametrize("form", ["sha256={}", "{}", " sha256={}\t"])
def test_the_algorithm_may_be_named(form: str) -> None:
    assert isinstance(identify(form.format(signature())), Identity)
    assert isinstance(identify(form.format(signature().upper())), Identity)


def test_names_of_headers_are_in_lower_case() -> None:
    assert WEBHOOKS.headers == {HEADER, GRAFANA_HEADER}
    assert not Webhooks().headers


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (BODY + b"\n", signature()),
        (BODY, signature(BODY + b" ")),
        (BODY, signature(secret=b"the secret of nobody")),
        (BODY, hashlib.sha256(BODY).hexdigest()),
        (BODY, "0" * 64),
    ],
    ids=["longer body", "other body", "other secret", "no secret", "zeros"],
)
def test_another_signature_is_nobodys(body: bytes, value: str) -> None:
    assert identify(value, body) == UNKNOWN_SIGNATURE


def test_a_secret_counts_in_its_own_header_only() -> None:
    assert identify(signature(secret=OTHER_SECRET), header=GRAFANA_HEADER) == UNKNOWN_SIGNATURE


@pytest.mark.parametrize(
    "value",
    [
        "",
        "sha256=",
        f"sha1={signature()}",
        f"SHA256={signature()}",
        f"v1={signature()}",
        signature()[:-1],
        f"{signature()}0",
        f"{signature()},{signature()}",
        "\u0660" * 64,
        f"sha256={hmac.new(SECRET, BODY, hashlib.sha1).hexdigest()}",
    ],
    ids=range(10),
)
def test_a_value_of_another_form_is_no_signature(value: str) -> None:
    assert identify(value) == MALFORMED_SIGNATURE


def test_refusals_do_not_tell_what_was_wrong() -> None:
    assert MALFORMED_SIGNATURE.sentence == UNKNOWN_SIGNATURE.sentence


def written(folder: Path, webhooks: str, content: bytes = SECRET, mode: int = 0o640) -> Path:
    """An auth.yaml, beside a file `github.secret`."""
    secret = folder / "github.secret"
    secret.write_bytes(content)
    secret.chmod(mode)
    file = folder / "auth.yaml"
    file.write_text(f"{KEYS}webhooks:\n{webhooks}", "utf-8")
    file.chmod(0o640)
    return file


def mistakes_of(file: Path) -> list[str]:
    with pytest.raises(InvalidAuthFileError) as refusal:
        read_auth_file(file)
    told = str(refusal.value)
    assert SECRET.decode() not in told
    return told.replace(str(file), "auth.yaml").splitlines()


GITHUB = "  - name: github\n    secret_file: github.secret\n"


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_the_secret_is_the_content_of_the_file_without_the_end_of_the_line(tmp_path: Path, end: bytes) -> None:
    config = read_auth_file(written(tmp_path, GITHUB, SECRET + end))

    [webhook] = config.webhooks
    assert (webhook.name, webhook.header) == ("github", "X-Hub-Signature-256")
    assert webhook.secret.get_secret_value() == SECRET
    assert isinstance(Webhooks(config.webhooks).identify(HEADER, signature(), BODY), Identity)


def test_a_secret_is_never_shown(tmp_path: Path) -> None:
    config = read_auth_file(written(tmp_path, GITHUB))

    assert SECRET.decode() not in f"{config!r} {config} {config.model_dump()} {config.model_dump_json()}"


def test_the_file_of_a_secret_may_stand_elsewhere(tmp_path: Path) -> None:
    secret = tmp_path / "elsewhere"
    secret.write_bytes(SECRET)
    secret.chmod(0o600)

    [webhook] = read_auth_file(written(tmp_path, f"  - {{name: github, secret_file: {secret}}}\n")).webhooks

    assert webhook.secret.get_secret_value() == SECRET


def test_every_mistake_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    wrong = f"""\
  - name: github
    secret_file: github.secret
    header: X Hub
  - name: github
    secret_file: github.secret
    secret: {SECRET.decode()}
    header: Authorization
  - secret_file: {SECRET.decode()}
  - name: grafana
    secret_file:
    heder: X-Grafana-Alerting-Signature
  - name: gitea
    secret_file: "gitea\\0"
  - name: gogs
    secret_file: ""
  - just a text
"""
    assert mistakes_of(written(tmp_path, wrong)) == [
        "auth.yaml:6: webhooks[0].header: is no name of a header; write it as X-Hub-Signature-256",
        "auth.yaml:7: webhooks[1].name: stands in webhooks[0], too; each webhook needs its own",
        "auth.yaml:8: webhooks[1].secret_file: stands in webhooks[0], too; each webhook needs its own",
        "auth.yaml:9: webhooks[1].secret: is unknown; did you mean secret_file?",
        "auth.yaml:10: webhooks[1].header: is the header of keys and tokens; a signature stands in one of its own",
        "auth.yaml:11: webhooks[2].name: is missing",
        "auth.yaml:11: webhooks[2].secret_file: names a file that cannot be read: No such file or directory",
        "auth.yaml:13: webhooks[3].secret_file: is no text",
        "auth.yaml:14: webhooks[3].heder: is unknown; did you mean header?",
        "auth.yaml:16: webhooks[4].secret_file: is no name of a file",
        "auth.yaml:18: webhooks[5].secret_file: is empty",
        "auth.yaml:19: webhooks[6]: is no mapping of names to values",
    ]


@pytest.mark.parametrize("mode", [0o644, 0o604, 0o602, 0o666])
def test_a_secret_that_everybody_may_read_or_write_is_refused(tmp_path: Path, mode: int) -> None:
    [told] = mistakes_of(written(tmp_path, GITHUB, mode=mode))

    assert told.startswith("auth.yaml:5: webhooks[0].secret_file: names a file that everybody on this machine may read")
    assert f"(mode {mode:04o}); run chmod o-rw on it" in told


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "whose secret is too short; it needs 16 bytes"),
        (b"fifteen bytes..\n", "whose secret is too short"),
        (b"x" * 4097, "with more than 4096 bytes"),
    ],
    ids=["empty", "short", "long"],
)
def test_a_secret_that_is_none_is_told(tmp_path: Path, content: bytes, said: str) -> None:
    [told] = mistakes_of(written(tmp_path, GITHUB, content))

    assert f"auth.yaml:5: webhooks[0].secret_file: names a file {said}" in told


def test_a_folder_is_no_secret(tmp_path: Path) -> None:
    [told] = mistakes_of(written(tmp_path, "  - {name: github, secret_file: .}\n"))

    assert told.endswith("names a file that cannot be read: Is a directory")


def test_webhooks_alone_let_nobody_read_what_they_begin(tmp_path: Path) -> None:
    file = written(tmp_path, GITHUB)
    file.write_text(file.read_text("utf-8").removeprefix(KEYS), "utf-8")

    [told] = mistakes_of(file)

    assert "has neither keys nor tokens" in told
