"""The entry of a new API key, as auth.yaml has it."""

import textwrap
from datetime import time

import yaml

from tarsy_auth.auth_config import ApiKeyEntry, is_name, moment_of, role_of
from tarsy_cli.errors import CommandError


class InvalidEntryError(CommandError):
    """No key can have this name, role or end. The operator takes another one."""


def key_entry(name: str, role: str, digest: str, expires: str, now: float) -> ApiKeyEntry:
    """Without an end where `expires` is empty. Raises InvalidEntryError."""
    if not is_name(name):
        raise InvalidEntryError("The name has to be one line of up to 200 characters, without spaces around it.")
    try:
        known_role = role_of(role)
    except ValueError as problem:
        raise InvalidEntryError(f"--role {problem}.") from None
    try:
        moment = moment_of(expires) if expires else None
    except ValueError as problem:
        raise InvalidEntryError(f"--expires {problem}.") from None
    entry = ApiKeyEntry(name=name, role=known_role, sha256=digest, expires=moment)
    if entry.has_expired(now):
        raise InvalidEntryError("--expires is in the past: nobody could use the key.")
    return entry


def yaml_of(entry: ApiKeyEntry) -> str:
    """A list item, indented as it stands below `keys:`."""
    fields: dict[str, object] = {"name": entry.name, "role": entry.role.label, "sha256": entry.sha256}
    if entry.expires is not None:
        fields["expires"] = entry.expires.date() if entry.expires.time() == time() else entry.expires
    return textwrap.indent(yaml.safe_dump([fields], sort_keys=False, allow_unicode=True), "  ")
