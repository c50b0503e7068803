"""PostgreSQL over TLS: each mode and file of the URL, and what is said when they do not fit."""

import asyncio
from pathlib import Path
from urllib.parse import urlencode

import pytest
from pydantic import ValidationError
from tls_postgres import HOST, server_context, tls_before

from tarsy_service.settings.service_settings import mistakes_in_settings
from tarsy_testing.servers.certificates import Authority, Certificate
from tarsy_timeline.database.pool import Connection, Database, DatabaseRefusedError
from tarsy_timeline.database.url import tls_mistakes
from tarsy_timeline.settings import TimelineSettings

KEY_PASSWORD = "a secret"
SECONDS = 60.0


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "authority")


@pytest.fixture
def server(authority: Authority) -> Certificate:
    return authority.sign("server", address=HOST)


async def answer(url: str, **parameters: object) -> int:
    """What the timeline's own pool gets."""

    async def prepare(_: Connection) -> None:
        pass

    database = Database(f"{url}?{urlencode(parameters)}", "tarsy", 2)
    async with asyncio.timeout(SECONDS), database.running(prepare), database.connection() as connection:
        found: int = await connection.fetchval("SELECT 7")
        return found


@pytest.mark.parametrize("mode", ["prefer", "require"])
async def test_these_modes_take_any_certificate(database_url: str, server: Certificate, mode: str) -> None:
    async with tls_before(database_url, server_context(server)) as url:
        assert await answer(url, sslmode=mode) == 7


@pytest.mark.parametrize("mode", ["require", "verify-ca", "verify-full"])
async def test_a_certificate_of_the_authority_is_taken(
    database_url: str, authority: Authority, server: Certificate, mode: str
) -> None:
    async with tls_before(database_url, server_context(server)) as url:
        assert await answer(url, sslmode=mode, sslrootcert=authority.file) == 7


@pytest.mark.parametrize("mode", ["require", "verify-ca", "verify-full"])
async def test_a_certificate_of_another_authority_is_refused_at_once(
    database_url: str, server: Certificate, tmp_path: Path, mode: str
) -> None:
    other = Authority(tmp_path, "other")
    async with tls_before(database_url, server_context(server)) as url:
        with pytest.raises(DatabaseRefusedError, match="shows a certificate that is not trusted") as refused:
            await answer(url, sslmode=mode, sslrootcert=other.file)
    assert "sslrootcert" in str(refused.value)


async def test_only_verify_full_looks_at_the_name(database_url: str, authority: Authority) -> None:
    elsewhere = authority.sign("elsewhere", address="127.0.0.9")
    async with tls_before(database_url, server_context(elsewhere)) as url:
        assert await answer(url, sslmode="verify-ca", sslrootcert=authority.file) == 7
        with pytest.raises(DatabaseRefusedError, match="IP address mismatch"):
            await answer(url, sslmode="verify-full", sslrootcert=authority.file)


async def test_a_client_certificate_is_shown(database_url: str, authority: Authority, server: Certificate) -> None:
    own = authority.sign("client", password=KEY_PASSWORD)
    async with tls_before(database_url, server_context(server, authority)) as url:
        files = {"sslrootcert": authority.file, "sslcert": own.cert, "sslkey": own.key}
        assert await answer(url, sslmode="verify-full", **files, sslpassword=KEY_PASSWORD) == 7


async def test_a_server_without_tls_serves_those_who_do_not_insist(database_url: str) -> None:
    async with tls_before(database_url, None) as url:
        assert await answer(url, sslmode="prefer") == 7
    assert await answer(database_url, sslmode="disable") == 7


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("sslmode=full", "sslmode has to be one of disable, allow"),
        ("sslmode=require&sslrootcert=/nonexistent", "sslrootcert=/nonexistent cannot be read (No such file"),
        ("sslmode=verify-full&sslrootcert=system", "name the file of the system's authorities"),
        ("sslmode=require&sslkey=/", "sslkey=/ cannot be read (Is a directory)"),
        ("sslmode=verify-full", "sslmode=verify-full needs sslrootcert"),
    ],
)
def test_mistakes_of_the_url_are_told_with_all_others(monkeypatch: pytest.MonkeyPatch, query: str, said: str) -> None:
    monkeypatch.setenv("HOME", "/nonexistent")
    monkeypatch.delenv("PGSSLROOTCERT", raising=False)
    monkeypatch.setenv("TARSY_DATABASE", f"postgresql://tarsy:password@db.example/tarsy?{query}")
    monkeypatch.setenv("TARSY_WAIT_SECONDS", "-1")
    with pytest.raises(ValidationError) as refused:
        TimelineSettings()
    first, second = mistakes_in_settings(refused.value)
    assert first.startswith("TARSY_DATABASE: ")
    assert said in first
    assert second.startswith("TARSY_WAIT_SECONDS: ")
    assert "password" not in f"{first} {refused.value}"


def test_other_urls_have_no_such_mistake() -> None:
    for url in ("postgresql://tarsy@db/tarsy", "postgresql://[::1", "no address", "postgresql://db/t?sslmode=require"):
        assert list(tls_mistakes(url)) == []
