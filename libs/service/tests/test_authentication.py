"""The auth file is followed: what was taken out of it counts for nothing a little later."""

import hmac
import secrets
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from tarsy_auth.api_keys import digest_of, new_key
from tarsy_auth.identity import Identity, Refusal
from tarsy_service.access.authentication import LOOK_SECONDS, LiveAuthentication

ALICE, BOB = new_key(secrets.token_bytes), new_key(secrets.token_bytes)
FORMER, LATTER = "a secret of the sender", "another secret of the sender"
BODY = b"{}"

LOGIN = """
tokens:
  issuer: https://login.example.com
  audience: tarsy
  jwks: https://login.example.com/certs
  roles: {claim: groups, values: {sre: viewer}}
login:
  client_id: tarsy
  authorization_endpoint: https://login.example.com/auth
  token_endpoint: https://login.example.com/token
  redirect_uri: https://tarsy.example.com/login/callback
"""


class Clock:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path / "auth.yaml", alice=ALICE, bob=BOB)


@pytest.fixture
def live(file: Path, clock: Clock) -> LiveAuthentication:
    return LiveAuthentication(file, monotonic=clock)


def written(file: Path, **keys: str) -> Path:
    """Another file each time, as a ConfigMap has it."""
    entries = (f"- {{name: {name}, role: viewer, sha256: {digest_of(key)}}}" for name, key in keys.items())
    write(file, "\n".join(["keys:", *entries]))
    return file


def write(file: Path, content: str) -> None:
    beside = file.with_suffix(".new")
    beside.write_text(content, "utf-8")
    beside.chmod(0o600)
    beside.replace(file)


def remove(file: Path) -> None:
    file.unlink()


async def names(live: LiveAuthentication) -> list[str]:
    """Of whoever comes in."""
    found = [await live.authenticate(f"Bearer {key}") for key in (ALICE, BOB)]
    return [one.name for one in found if isinstance(one, Identity)]


async def test_a_key_that_was_taken_out_opens_nothing_after_the_next_look(
    live: LiveAuthentication, file: Path, clock: Clock
) -> None:
    assert await names(live) == ["alice", "bob"]
    written(file, bob=BOB)
    assert await names(live) == ["alice", "bob"]
    clock.seconds += LOOK_SECONDS
    assert await names(live) == ["bob"]
    assert isinstance(await live.authenticate(f"Bearer {ALICE}"), Refusal)


@pytest.mark.parametrize("wrong", ["keys: [{name: alice}]", "keys: [", ""])
async def test_with_mistakes_what_held_before_stays_and_each_mistake_is_logged_once(
    live: LiveAuthentication, file: Path, clock: Clock, wrong: str
) -> None:
    write(file, wrong)
    with capture_logs() as logs:
        for _ in range(3):
            clock.seconds += LOOK_SECONDS
            assert await names(live) == ["alice", "bob"]
    (line,) = logs
    assert (line["event"], line["log_level"]) == ("auth_file.refused", "error")
    assert str(file) in str(line["mistakes"])


async def test_a_file_that_is_gone_takes_nothing_away_and_comes_back(
    live: LiveAuthentication, file: Path, clock: Clock
) -> None:
    remove(file)
    clock.seconds += LOOK_SECONDS
    assert await names(live) == ["alice", "bob"]
    written(file, alice=ALICE)
    clock.seconds += LOOK_SECONDS
    assert await names(live) == ["alice"]


async def test_senders_who_sign_follow_the_file_too(live: LiveAuthentication, file: Path, clock: Clock) -> None:
    assert not (await live.webhooks()).headers
    write(file.with_name("github"), "a secret of the sender")
    key = f"keys: [{{name: bob, role: viewer, sha256: {digest_of(BOB)}}}]"
    write(file, f"{key}\nwebhooks: [{{name: github, secret_file: github}}]")
    clock.seconds += LOOK_SECONDS
    assert (await live.webhooks()).headers == {"x-hub-signature-256"}


async def test_a_secret_that_was_changed_alone_counts_after_the_next_look(file: Path, clock: Clock) -> None:
    secret = file.with_name("github")
    write(secret, FORMER)
    write(file, "keys: []\nwebhooks: [{name: github, secret_file: github}]\n" + LOGIN)
    live = LiveAuthentication(file, monotonic=clock)

    async def known(secret: str) -> bool:
        signature = hmac.digest(secret.encode(), BODY, "sha256").hex()
        return isinstance((await live.webhooks()).identify("x-hub-signature-256", signature, BODY), Identity)

    assert await known(FORMER)
    write(secret, "short")
    clock.seconds += LOOK_SECONDS
    assert await known(FORMER), "a content with mistakes never holds"
    write(secret, LATTER)
    clock.seconds += LOOK_SECONDS
    assert (await known(FORMER), await known(LATTER)) == (False, True)


async def test_the_login_of_the_page_follows_the_file_too(live: LiveAuthentication, file: Path, clock: Clock) -> None:
    assert await live.login() is None
    write(file, LOGIN)
    clock.seconds += LOOK_SECONDS
    login = await live.login()
    assert login is not None
    assert login.begin("/")[1].startswith("https://login.example.com/auth?")
