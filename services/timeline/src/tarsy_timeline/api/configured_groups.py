"""All session groups of the auth file, as it is now."""

import asyncio
from pathlib import Path

import structlog

from tarsy_auth.auth_file import InvalidAuthFileError, read_auth_file
from tarsy_auth.session_groups import GroupLabels

log = structlog.get_logger(__name__)


class ConfiguredGroups:
    def __init__(self, auth_file: str) -> None:
        """Without a file there are none. One with mistakes ends the service before this is asked."""
        self._path = Path(auth_file) if auth_file else None
        self._changed_at: int | None = None
        self._groups: GroupLabels = []

    async def all_groups(self) -> GroupLabels:
        return [] if self._path is None else await asyncio.to_thread(self._read, self._path)

    def _read(self, path: Path) -> GroupLabels:
        """A content with mistakes never holds, as for callers."""
        try:
            changed_at = path.stat().st_mtime_ns
            if changed_at != self._changed_at:
                config = read_auth_file(path)
                self._groups = [
                    {name: [*values] for name, values in one.items()} for one in config.session_groups.values()
                ]
                self._changed_at = changed_at
        except (OSError, InvalidAuthFileError) as problem:
            if self._changed_at is None:
                raise
            log.warning("session_groups.not_read", reason=str(problem))
        return self._groups
