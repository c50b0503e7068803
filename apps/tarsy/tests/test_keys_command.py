"""`tarsy keys`: a key is made and shown once, and its file is checked."""

import hashlib
import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tarsy_auth.auth_file import read_auth_file
from tarsy_auth.roles import Role
from tarsy_cli.app import cli

DIGEST = hashlib.sha256(b"one").hexdigest()
OTHER_DIGEST = hashlib.sha256(b"two").hexdigest()
FILE = f"""\
keys:
  - {{name: alertmanager, role: responder, sha256: {DIGEST}, expires: 2999-03-01}}
  - {{name: former, role: admin, sha256: {OTHER_DIGEST}, expires: 2020-01-01T12:00:00+02:00}}
tokens:
  issuer: https://login.example.com
  audience: tarsy
  jwks: https://login.example.com/certs
  roles: {{claim: groups, values: {{sre: responder, platform: operator}}}}
"""
IN_A_MONTH = f"{datetime.now(UTC) + timedelta(days=30):%Y-%m-%d}"


def ran(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(cli, ["keys", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def written(folder: Path, text: str) -> Path:
    file = folder / "auth.yaml"
    file.write_text(text, "utf-8")
    file.chmod(0o600)
    return file


@pytest.mark.parametrize("name", ["alertmanager", "on", "007", "größe: # 'x'", "- a"])
def test_a_new_key_is_printed_once_with_its_entry_beneath(tmp_path: Path, name: str) -> None:
    code, out, err = ran("new", "--role", "responder", "--expires", IN_A_MONTH, "--", name)

    key, empty, *entry = out.splitlines()
    [read] = read_auth_file(written(tmp_path, "\n".join(["keys:", *entry]))).keys
    assert (code, empty) == (0, "")
    assert re.fullmatch(r"tarsy_[A-Za-z0-9_-]{43}", key)
    assert (read.name, read.role) == (name, Role.RESPONDER)
    assert read.sha256 == hashlib.sha256(key.encode()).hexdigest()
    assert f"{read.expires:%Y-%m-%d}" == IN_A_MONTH
    assert out.count(key) == 1
    assert key not in err
    assert err.startswith("Keep the key")


def test_each_key_is_another_one_and_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    made = {ran("new", "ops", "--role", "viewer")[1].splitlines()[0] for _ in range(5)}

    assert len(made) == 5
    assert list(tmp_path.iterdir()) == []


def test_a_key_without_an_end_has_none_and_a_time_is_kept(tmp_path: Path) -> None:
    entries = [
        ran("new", name, "--role", "admin", *expires)[1].splitlines()[2:]
        for name, expires in (("one", []), ("two", ["--expires", "2999-03-01T12:00:00+02:00"]))
    ]
    file = written(tmp_path, "\n".join(["keys:", *(line for entry in entries for line in entry)]))

    assert [str(entry.expires) for entry in read_auth_file(file).keys] == ["None", "2999-03-01 10:00:00+00:00"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ops", "--role", "boss"], "--role is no role; known here: viewer, responder, operator, admin, service.\n"),
        ([" ", "--role", "viewer"], "The name has to be one line"),
        (["ops", "--role", "viewer", "--expires", "soon"], "--expires is not a date"),
        (["ops", "--role", "viewer", "--expires", "2999-01-01T12:00:00"], "--expires has no zone"),
        (["ops", "--role", "viewer", "--expires", "2020-01-01"], "--expires is in the past"),
        (["ops", "--role", "operator", "--session-group", "shop"], "--session-group limits nothing"),
    ],
    ids=["role", "name", "date", "zone", "past", "groups"],
)
def test_a_key_that_could_not_be_used_is_not_made(arguments: list[str], said: str) -> None:
    code, out, err = ran("new", *arguments)

    assert (code, out) == (1, "")
    assert err.startswith(said)


def test_a_check_lists_names_roles_and_which_keys_have_expired(tmp_path: Path) -> None:
    code, out, err = ran("check", written(tmp_path, FILE))

    assert (code, err) == (0, "")
    assert [line.split() for line in out.splitlines()] == [
        ["The", "file", "has", "no", "mistakes."],
        ["key", "role", "expires"],
        ["alertmanager", "responder", "2999-03-01T00:00:00Z"],
        ["former", "admin", "2020-01-01T10:00:00Z", "has", "expired"],
        ["tokens:", "of", "https://login.example.com", "for", "tarsy,", "with", "the", "name", "in", "sub"],
        ["groups", "sre:", "responder"],
        ["groups", "platform:", "operator"],
    ]


def test_a_key_for_session_groups_is_made_and_listed_with_them(tmp_path: Path) -> None:
    groups = ["--session-group", "shop", "--session-group", "pay"]
    entry = ran("new", "ops", "--role", "viewer", *groups)[1].splitlines()[2:]
    tokens = (
        "tokens: {issuer: https://a.example, audience: tarsy, jwks: https://a.example/certs, "
        "roles: {claim: groups, values: {sre: viewer}}, "
        "session_groups: {claim: teams, values: {sre: all, shop: [shop]}}}"
    )
    labels = "session_groups: {shop: {namespace: [shop, storefront], cluster: eu-1}, pay: {namespace: pay}}"

    code, out, err = ran("check", written(tmp_path, "\n".join(["keys:", *entry, tokens, labels])))

    assert (code, err) == (0, "")
    assert [" ".join(line.split()) for line in out.splitlines()[2:]] == [
        "ops viewer never sees shop and pay",
        "session group shop: namespace shop or storefront, cluster eu-1",
        "session group pay: namespace pay",
        "tokens: of https://a.example for tarsy, with the name in sub",
        "groups sre: viewer",
        "teams sre: sees all sessions",
        "teams shop: sees shop",
    ]


def test_a_check_lists_webhooks_without_their_secrets(tmp_path: Path) -> None:
    secret = tmp_path / "github.secret"
    secret.write_text("a secret of GitHub", "utf-8")
    secret.chmod(0o600)
    webhooks = "webhooks: [{name: github, secret_file: github.secret}]"

    code, out, err = ran("check", written(tmp_path, f"{FILE}{webhooks}"))

    assert (code, err) == (0, "")
    assert "webhook: github signs in X-Hub-Signature-256\n" in out
    assert "a secret" not in out


def test_a_check_lists_the_login_of_the_page_without_its_secret(tmp_path: Path) -> None:
    secret = tmp_path / "client.secret"
    secret.write_text("a secret of the client", "utf-8")
    secret.chmod(0o600)
    login = (
        "login: {client_id: tarsy, client_secret_file: client.secret, token_endpoint: https://a.example/token, "
        "authorization_endpoint: https://a.example/auth, redirect_uri: https://tarsy.example/login/callback}"
    )

    code, out, err = ran("check", written(tmp_path, f"{FILE}{login}"))

    assert (code, err) == (0, "")
    assert out.endswith("login: as tarsy, a client with a secret, which ends at https://tarsy.example/login/callback\n")
    assert "a secret of" not in out


def test_a_check_says_every_mistake_with_its_line_and_ends_with_1(tmp_path: Path) -> None:
    file = written(tmp_path, FILE.replace("admin", "boss").replace("issuer", "isuer"))

    code, out, err = ran("check", file)

    assert (code, out) == (1, "")
    assert [line.partition(": ")[0] for line in err.splitlines()] == [f"{file}:{line}" for line in (3, 4, 5)]


def test_a_check_takes_the_file_that_services_are_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TARSY_AUTH_FILE", os.fspath(written(tmp_path, FILE)))

    assert ran("check")[0] == 0
