"""The entry of a new API key, as auth.yaml has it."""

import textwrap
from datetime import time

import yaml

from tarsy_auth.auth_config import ALL, ApiKeyEntry, is_name, moment_of, role_of
from tarsy_cli.errors import CommandError


class InvalidEntryError(CommandError):
    """No key can have this name, role or end. The operator takes another one."""


def key_entry(name: str, role: str, digest: str, expires: str, groups: list[str], now: float) -> ApiKeyEntry:
    """Without an end where `expires` is empty, and for all sessions where `groups` is. Raises InvalidEntryError."""
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
    if groups and known_role.sees_all:
        raise InvalidEntryError(f"--session-group limits nothing: the role {known_role.label} sees every session.")
    entry = ApiKeyEntry.model_validate(
        {"name": name, "role": known_role, "sha256": digest, "expires": moment, "session_groups": groups or ALL}
    )
    if entry.has_expired(now):
        raise InvalidEntryError("--expires is in the past: nobody could use the key.")
    return entry


def yaml_of(entry: ApiKeyEntry) -> str:
    """A list item, indented as it stands below `keys:`."""
    fields: dict[str, object] = {"name": entry.name, "role": entry.role.label, "sha256": entry.sha256}
    if entry.expires is not None:
        fields["expires"] = entry.expires.date() if entry.expires.time() == time() else entry.expires
    if entry.session_groups is not None:
        fields["session_groups"] = [*entry.session_groups]
    return textwrap.indent(yaml.safe_dump([fields], sort_keys=False, allow_unicode=True), "  ")
