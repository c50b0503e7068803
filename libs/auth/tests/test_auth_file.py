"""auth.yaml: every mistake at once, with its line, and without the values that may be secrets."""

import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarsy_auth.api_keys import digest_of, new_key
from tarsy_auth.auth_config import AuthConfig
from tarsy_auth.auth_file import InvalidAuthFileError, read_auth_file
from tarsy_auth.roles import Role

KEY = new_key(lambda count: bytes(count))
DIGEST = digest_of(KEY)
OTHER_DIGEST = digest_of("other")
GOOD = f"""\
keys:                       # API keys
  - name: alertmanager
    role: responder
    sha256: {DIGEST}
    expires: 2027-03-01
  - name: 007
    role: viewer
    sha256: {OTHER_DIGEST.upper()}
    expires:
tokens:
  issuer: https://login.example.com/realms/sre
  audience: tarsy
  jwks: https://login.example.com/realms/sre/certs
  name: email
  roles:
    claim: groups
    values: {{sre: responder, platform: operator}}
"""
WRONG = f"""\
keys:
  - name: alertmanager
    role: boss
    sha256: {KEY}
    expires: 2027-13-01
  - name: alertmanager
    rol: viewer
    sha256: {DIGEST}
    expires: 2027-03-01 12:00:00
  - name: other
    role: viewer
    role: admin
    sha256: {DIGEST.upper()}
  - just a text
tokens:
  issuer: http://login.example.com/realms/sre
  jwks: https://tarsy:secret@login.example.com/certs
  audience:
  name: !claim email
  roles:
    claim: groups
    values: {{}}
more: 1
"""
MISTAKES = """\
{file}:3: keys[0].role: is no role; known here: viewer, responder, operator, admin, service
{file}:4: keys[0].sha256: is a key, where its SHA-256 has to stand; make a new key, as this one stood in a file
{file}:5: keys[0].expires: is not a date or a time; write it as 2027-03-01 or 2027-03-01T12:00:00Z
{file}:6: keys[1].role: is missing
{file}:6: keys[1].name: stands in keys[0], too; each key needs its own
{file}:7: keys[1].rol: is unknown; did you mean role?
{file}:9: keys[1].expires: has no zone; write a time as 2027-03-01T12:00:00Z
{file}:12: keys[2].role: stands here a second time; take one of them out
{file}:13: keys[2].sha256: stands in keys[1], too; each key needs its own
{file}:14: keys[3]: is no mapping of names to values
{file}:16: tokens.issuer: is http, which anybody on the way may answer; write https, as this is not loopback
{file}:17: tokens.jwks: has a user or a password; leave it out
{file}:18: tokens.audience: is no text
{file}:19: tokens.name: has the tag !claim; tags mean nothing here
{file}:22: tokens.roles.values: is empty
{file}:23: more: is unknown; known here: keys, webhooks, tokens, login, session_groups"""


def written(folder: Path, text: str) -> Path:
    file = folder / "auth.yaml"
    file.write_text(text, "utf-8")
    file.chmod(0o640)
    return file


def mistakes_of(folder: Path, text: str) -> list[str]:
    file = written(folder, text)
    with pytest.raises(InvalidAuthFileError) as refusal:
        read_auth_file(file)
    return str(refusal.value).replace(str(file), "auth.yaml").splitlines()


def key_lines(**changed: str) -> str:
    fields = {"name": "alertmanager", "role": "viewer", "sha256": DIGEST} | changed
    return "keys:\n  - " + "\n    ".join(f"{name}: {value}" for name, value in fields.items())


def token_lines(**changed: str) -> str:
    fields = {"issuer": "https://a.example", "audience": "tarsy", "jwks": "https://a.example/certs"} | changed
    lines = "".join(f"  {name}: {value}\n" for name, value in fields.items())
    return f"tokens:\n{lines}  roles: {{claim: groups, values: {{sre: viewer}}}}\n"


def test_a_file_without_mistakes_is_read(tmp_path: Path) -> None:
    config = read_auth_file(written(tmp_path, GOOD))

    assert [(entry.name, entry.role, entry.sha256) for entry in config.keys] == [
        ("alertmanager", Role.RESPONDER, DIGEST),
        ("007", Role.VIEWER, OTHER_DIGEST),
    ]
    assert [str(entry.expires) for entry in config.keys] == ["2027-03-01 00:00:00+00:00", "None"]
    assert config.tokens is not None
    assert config.tokens.roles.values == {"sre": Role.RESPONDER, "platform": Role.OPERATOR}


def test_every_mistake_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    assert "\n".join(mistakes_of(tmp_path, WRONG)) == MISTAKES.format(file="auth.yaml")


def test_no_key_digest_or_password_is_shown(tmp_path: Path) -> None:
    told = "\n".join(mistakes_of(tmp_path, WRONG))

    assert [secret for secret in (KEY, KEY[6:], DIGEST, DIGEST.upper(), "secret") if secret in told] == []


@pytest.mark.parametrize("text", ["", "# nothing\n", "{}\n", "keys: []\n", "---\n"])
def test_a_file_that_lets_nobody_in_is_a_mistake(tmp_path: Path, text: str) -> None:
    [told] = mistakes_of(tmp_path, text)

    assert ": has neither keys nor tokens" in told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("keys: [", "auth.yaml:1: is not YAML: "),
        ("keys: []\n\tx: 1\n", "auth.yaml:2: is not YAML: "),
        ("keys: []\nname: &a x\nother: *a\n", "auth.yaml:3: aliases are not allowed here; write the value again"),
        ("- a\n- b\n", "auth.yaml:1: is no mapping of names to values"),
        ("just words", "auth.yaml:1: is no mapping of names to values"),
        ("\n\nkeys: words", "auth.yaml:3: keys: is no list"),
        ("tokens: [a]", "auth.yaml:1: tokens: is no mapping of names to values"),
        ("[" * 800, "auth.yaml:1: is n"),
        ("keys: []\n---\nkeys: []\n", "auth.yaml:2: is not YAML: "),
        ("keys: []\n# \x00", "auth.yaml:2: has a control character"),
        ('keys: "\\U99999999"', "auth.yaml:1: is not YAML: "),
    ],
    ids=range(11),
)
def test_a_text_of_another_form_is_a_mistake_with_a_line(tmp_path: Path, text: str, said: str) -> None:
    [told] = mistakes_of(tmp_path, text)

    assert told.startswith(said)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("name", '""', "is no name"),
        ("name", '" ops"', "is no name"),
        ("name", '"two\\nlines"', "is no name"),
        ("name", "x" * 201, "is no name"),
        ("name", "[ops]", "is no text"),
        ("role", "Viewer", "is no role"),
        ("role", "4", "is no role"),
        ("role", "[viewer]", "is no role"),
        ("sha256", DIGEST[:-1], "is no SHA-256"),
        ("sha256", DIGEST[:-1] + "g", "is no SHA-256"),
        ("sha256", f"sha256:{DIGEST}", "is no SHA-256"),
        ("expires", "tomorrow", "is not a date"),
        ("expires", "2027-02-30", "is not a date"),
        ("expires", "{a: b}", "is not a date"),
        ("expires", "9999-12-31T23:59:59-12:00", "is beyond all dates"),
    ],
)
def test_a_wrong_value_of_a_key_is_told(tmp_path: Path, field: str, value: str, said: str) -> None:
    [told] = mistakes_of(tmp_path, key_lines(**{field: value}))

    assert f" keys[0].{field}: {said}" in told


@pytest.mark.parametrize("expires", ["2020-01-01", "2020-01-01T00:00:00Z", "2027-03-01T12:00:00+02:00", '"2027-03-01"'])
def test_a_date_may_be_past_and_have_a_time_with_a_zone(tmp_path: Path, expires: str) -> None:
    [entry] = read_auth_file(written(tmp_path, key_lines(expires=expires))).keys

    assert entry.expires is not None


@pytest.mark.parametrize("field", ["issuer", "jwks"])
@pytest.mark.parametrize(
    "address",
    ["ftp://a.example", "login.example.com", "https://", "https://[::1", "https://a.example:x/", '"https://a b"'],
)
def test_an_address_that_is_none_is_told(tmp_path: Path, field: str, address: str) -> None:
    [told] = mistakes_of(tmp_path, token_lines(**{field: address}))

    assert f" tokens.{field}: is no address" in told


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "127.9.9.9", "[::1]:8080", "localhost", "login.localhost:8080"])
def test_http_is_for_this_machine(tmp_path: Path, host: str) -> None:
    config = read_auth_file(written(tmp_path, token_lines(issuer=f"http://{host}/x", jwks=f"http://{host}/y")))

    assert config.tokens is not None


@pytest.mark.parametrize("host", ["10.0.0.1", "localhost.example.com", "127.0.0.1.example.com", "0.0.0.0"])
def test_http_to_other_machines_is_a_mistake(tmp_path: Path, host: str) -> None:
    assert len(mistakes_of(tmp_path, token_lines(issuer=f"http://{host}/x", jwks=f"http://{host}/y"))) == 2


@pytest.mark.parametrize("mode", [0o602, 0o666, 0o777, 0o646])
def test_a_file_that_everybody_may_write_is_refused(tmp_path: Path, mode: int) -> None:
    file = written(tmp_path, GOOD)
    file.chmod(mode)

    with pytest.raises(InvalidAuthFileError, match=rf"may be written by everybody .* \(mode {mode:04o}\).* chmod o-w"):
        read_auth_file(file)


@pytest.mark.parametrize("mode", [0o400, 0o600, 0o644, 0o664])
def test_a_file_that_others_may_read_is_none_of_our_business(tmp_path: Path, mode: int) -> None:
    """Digests are no secrets, and Kubernetes mounts Secrets with 0644."""
    file = written(tmp_path, GOOD)
    file.chmod(mode)

    assert isinstance(read_auth_file(file), AuthConfig)


def test_a_file_that_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    latin = tmp_path / "latin.yaml"
    latin.write_bytes("keys: ä".encode("latin-1"))
    huge = tmp_path / "huge.yaml"
    huge.touch()
    os.truncate(huge, 2 << 20)
    cases = [(tmp_path / "missing", "No such file"), (tmp_path, "directory"), (latin, "UTF-8"), (huge, "megabyte")]
    for file, said in cases:
        with pytest.raises(InvalidAuthFileError, match=said):
            read_auth_file(file)


@given(st.text() | st.recursive(st.text(max_size=5), lambda parts: st.lists(parts) | st.dictionaries(st.text(), parts)))
def test_any_text_is_a_file_or_a_list_of_mistakes(tmp_path_factory: pytest.TempPathFactory, content: object) -> None:
    file = tmp_path_factory.getbasetemp() / "any.yaml"
    file.write_bytes(str(content).encode(errors="replace"))
    file.chmod(0o600)
    with suppress(InvalidAuthFileError):
        read_auth_file(file)
