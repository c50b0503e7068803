"""Authentication by the auth file that a setting names. Nothing else here knows where identities come from."""

import asyncio
import os
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import structlog

from tarsy_auth.auth_config import CALLBACK_PATH, AuthConfig
from tarsy_auth.auth_file import AuthFileMistake, InvalidAuthFileError, read_auth_file
from tarsy_auth.authenticator import authenticator
from tarsy_auth.http_fetch import http_fetch, http_post
from tarsy_auth.identity import Authenticate, Identity, Refusal
from tarsy_auth.login import Login
from tarsy_auth.webhooks import Webhooks

log = structlog.get_logger(__name__)

LOOK_SECONDS = 5.0
"""How often the files are looked at, when somebody asks: a key that was taken out opens nothing after that."""

type Stamp = tuple[int, int, int]
"""Inode, time of the last change, and size of a file."""


def check_auth_file(path: Path, base_path: str) -> None:
    """Raises ValueError with every mistake of the file."""
    _read_auth_config(path, base_path)


class LiveAuthentication:
    """Identities by the content of the file that holds now, and of its secrets. A content with mistakes never holds."""

    def __init__(self, path: Path, base_path: str = "", monotonic: Callable[[], float] = time.monotonic) -> None:
        """Raises ValueError."""
        self._path = path
        self._base_path = base_path
        self._monotonic = monotonic
        self._fetch = http_fetch()
        self._looked_at = monotonic()
        self._stamps = _stamps_of(path)
        self._use_config(_read_auth_config(path, base_path))

    async def authenticate(self, header: str | None) -> Identity | Refusal:
        """See `Authenticate`."""
        await self._reload_if_changed()
        return await self._authenticate(header)

    async def webhooks(self) -> Webhooks:
        await self._reload_if_changed()
        return self._webhooks

    async def login(self) -> Login | None:
        """None where the file has no login for the page."""
        await self._reload_if_changed()
        return self._login

    async def _reload_if_changed(self) -> None:
        """One request waits for a file that was changed; others meanwhile have what held before."""
        now = self._monotonic()
        if now - self._looked_at < LOOK_SECONDS:
            return
        self._looked_at = now
        if all(_stamp_of(file) == stamp for file, stamp in self._stamps.items()):
            return
        # Before it is read for good: what is changed meanwhile is seen by the next look.
        self._stamps = await asyncio.to_thread(_stamps_of, self._path)
        try:
            config = await asyncio.to_thread(_read_auth_config, self._path, self._base_path)
        except InvalidAuthFileError as problem:
            log.error("auth_file.refused", file=str(self._path), mistakes=[str(each) for each in problem.mistakes])
            return
        self._use_config(config)
        log.info("auth_file.loaded", file=str(self._path), keys=len(config.keys), webhooks=len(config.webhooks))

    def _use_config(self, config: AuthConfig) -> None:
        self._authenticate = authenticator(config, self._fetch, time.time)
        self._webhooks = Webhooks(config.webhooks)
        self._login = _make_login(config, self._authenticate)


def _read_auth_config(path: Path, base_path: str) -> AuthConfig:
    """Raises InvalidAuthFileError, also for a login that would end elsewhere than below the base path."""
    config = read_auth_file(path)
    if config.login is not None and config.login.base_path != base_path:
        wanted = f"has to end with {base_path}{CALLBACK_PATH}, as TARSY_BASE_PATH is {base_path or 'not set'}"
        raise InvalidAuthFileError([AuthFileMistake(str(path), None, "login.redirect_uri", wanted)])
    return config


def _make_login(config: AuthConfig, authenticate: Authenticate) -> Login | None:
    if config.login is None or config.tokens is None:
        return None
    return Login(config.login, config.tokens.issuer, authenticate, http_post(), secrets.token_bytes, time.monotonic)


def _stamps_of(path: Path) -> dict[Path, Stamp | None]:
    """Stamps of the file, and of the files of secrets that it names."""
    files = {path}
    with suppress(InvalidAuthFileError):
        read_auth_file(path, files)
    return {file: _stamp_of(file) for file in files}


def _stamp_of(path: Path) -> Stamp | None:
    """None of a file that is not there. That of a ConfigMap is a link, and its target another one after each change."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
