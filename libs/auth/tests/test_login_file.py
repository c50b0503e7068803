"""The section `login` of auth.yaml, and the audiences that it needs."""

from pathlib import Path

import pytest

from tarsy_auth.auth_config import AuthConfig
from tarsy_auth.auth_file import InvalidAuthFileError, read_auth_file

SECRET = "0123456789abcdef0123456789abcdef"
TOKENS = """\
tokens:
  issuer: https://login.example.com
  audience: {audience}
  jwks: https://login.example.com/certs
  roles: {{claim: groups, values: {{sre: viewer}}}}
"""
LOGIN = """\
login:
  client_id: tarsy
  client_secret_file: client.secret
  authorization_endpoint: https://login.example.com/auth
  token_endpoint: https://login.example.com/token
  redirect_uri: https://tarsy.example.com/login/callback
"""
WRONG = """\
login:
  client_id: ''
  client_secret_file: missing.secret
  scope: profile
  authorization_endpoint: https://login.example.com/auth#top
  token_endpoint: http://login.example.com/token
  redirect_uri: https://tarsy.example.com/callback
  client_secret: 0123456789abcdef0123456789abcdef
"""


def written(
    folder: Path, login: str = LOGIN, *, audience: str = "tarsy", tokens: str = TOKENS, mode: int = 0o640
) -> Path:
    secret = folder / "client.secret"
    secret.write_text(f"{SECRET}\n", "utf-8")
    secret.chmod(mode)
    file = folder / "auth.yaml"
    file.write_text(tokens.format(audience=audience) + login, "utf-8")
    file.chmod(0o640)
    return file


def read(folder: Path, login: str = LOGIN, *, audience: str = "tarsy") -> AuthConfig:
    return read_auth_file(written(folder, login, audience=audience))


def mistakes_of(file: Path) -> list[str]:
    with pytest.raises(InvalidAuthFileError) as refusal:
        read_auth_file(file)
    return str(refusal.value).replace(str(file), "auth.yaml").splitlines()


def test_a_login_is_read_with_the_secret_of_its_file(tmp_path: Path) -> None:
    login = read(tmp_path).login

    assert login is not None
    assert login.client_secret is not None
    assert login.client_secret.get_secret_value() == SECRET.encode()
    assert (login.scope, login.is_secure) == ("openid profile email", True)
    assert SECRET not in repr(login)


def test_a_public_client_on_loopback_needs_no_secret_and_no_https(tmp_path: Path) -> None:
    text = LOGIN.replace("  client_secret_file: client.secret\n", "").replace(
        "https://tarsy.example.com", "http://[::1]:8080"
    )

    login = read(tmp_path, text).login

    assert login is not None
    assert (login.client_secret, login.is_secure) == (None, False)


def test_a_scheme_in_capitals_is_the_same_one(tmp_path: Path) -> None:
    login = read(tmp_path, LOGIN.replace("https://tarsy", "HTTPS://tarsy")).login

    assert login is not None
    assert login.is_secure


def test_every_mistake_of_a_login_is_told_at_once_and_no_secret_is_shown(tmp_path: Path) -> None:
    told = mistakes_of(written(tmp_path, WRONG))

    assert told == [
        "auth.yaml:7: login.client_id: is empty",
        "auth.yaml:8: login.client_secret_file: names a file that cannot be read: No such file or directory",
        "auth.yaml:9: login.scope: has no `openid`, without which the provider gives no ID token",
        "auth.yaml:10: login.authorization_endpoint: has a fragment (`#`); leave it out",
        "auth.yaml:11: login.token_endpoint: is http, which anybody on the way may answer; write https, as this is not "
        "loopback",
        "auth.yaml:12: login.redirect_uri: is not where the page's login ends; write the page's address and "
        "/login/callback, as https://tarsy.example.com/login/callback",
        "auth.yaml:13: login.client_secret: is unknown; did you mean client_secret_file?",
    ]


def test_a_secret_that_everybody_may_read_is_refused(tmp_path: Path) -> None:
    (told,) = mistakes_of(written(tmp_path, mode=0o644))

    assert "login.client_secret_file: names a file that everybody on this machine may read or write" in told


def test_a_login_needs_tokens_for_its_client(tmp_path: Path) -> None:
    keys = f"keys:\n  - {{name: a, role: viewer, sha256: {'0' * 64}}}\n"
    (alone,) = mistakes_of(written(tmp_path, tokens=keys.replace("{", "{{").replace("}", "}}")))
    (other,) = mistakes_of(written(tmp_path, audience="[api, another]"))

    assert alone == "auth.yaml:3: login: needs tokens beside it, which say how the ID token is checked"
    assert other.startswith("auth.yaml:7: login.client_id: is not in tokens.audience")


def test_several_audiences_are_a_list(tmp_path: Path) -> None:
    tokens = read(tmp_path, audience="[api, tarsy]").tokens

    assert tokens is not None
    assert tokens.audience == ("api", "tarsy")


@pytest.mark.parametrize(
    ("audience", "said"),
    [
        ("''", "is empty"),
        ("[]", "is no list of texts"),
        ("[a, [b]]", "is no list of texts"),
        ("{a: b}", "is no text"),
        ("[a, '']", "is empty"),
    ],
)
def test_audiences_that_are_none_are_told(tmp_path: Path, audience: str, said: str) -> None:
    (told,) = mistakes_of(written(tmp_path, "", audience=audience))

    assert told == f"auth.yaml:3: tokens.audience: {said}"


@pytest.mark.parametrize("login", ["login: []\n", "login: words\n"])
def test_a_login_of_another_form_is_a_mistake(tmp_path: Path, login: str) -> None:
    assert mistakes_of(written(tmp_path, login)) == ["auth.yaml:6: login: is no mapping of names to values"]
