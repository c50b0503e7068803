"""Checks of an auth.yaml that look at several of its places."""

from collections.abc import Iterator, Mapping

from tarsy_auth.auth_config import ALL
from tarsy_auth.roles import Role
from tarsy_auth.text_tree import KeyPath, Tree

UNIQUE = (("keys", "name"), ("keys", "sha256"), ("webhooks", "name"), ("webhooks", "secret_file"))
"""Sections and the field of which each entry has its own."""

SEE_ALL = tuple(role.label for role in Role if role.sees_all)


def cross_checks(data: Tree) -> Iterator[tuple[KeyPath, str]]:
    """The tree is looked at, not the models: a file with other mistakes has these, too."""
    if not isinstance(data, dict | None):
        return
    keys = data and data.get("keys")
    if not keys and not (data and data.get("tokens")):
        yield (), "has neither keys nor tokens, so that nobody could come in; write one of them"
    yield from _find_login_mistakes(data or {})
    yield from _find_group_mistakes(data or {})
    for section, field in UNIQUE:
        yield from _find_doubles(section, data and data.get(section), field)


def _find_login_mistakes(data: Mapping[str, Tree]) -> Iterator[tuple[KeyPath, str]]:
    login, tokens = data.get("login"), data.get("tokens")
    if login is None:
        return
    if not isinstance(tokens, dict):
        yield ("login",), "needs tokens beside it, which say how the ID token is checked"
        return
    client = login.get("client_id") if isinstance(login, dict) else None
    audience = tokens.get("audience")
    if client and audience and client not in (audience if isinstance(audience, list) else [audience]):
        yield (
            ("login", "client_id"),
            "is not in tokens.audience, though the ID token will be for it; write it there, too",
        )


def _find_doubles(section: str, entries: Tree, field: str) -> Iterator[tuple[KeyPath, str]]:
    first: dict[str, int] = {}
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        value = entry.get(field) if isinstance(entry, dict) else None
        if isinstance(value, str):
            known = first.setdefault(value.lower() if field == "sha256" else value, index)
            if known != index:
                one = section.removesuffix("s")
                yield (section, index, field), f"stands in {section}[{known}], too; each {one} needs its own"


def _find_group_mistakes(data: Mapping[str, Tree]) -> Iterator[tuple[KeyPath, str]]:
    groups = data.get("session_groups")
    known = [*groups] if isinstance(groups, dict) else []
    for name in known:
        if name == ALL:
            yield ("session_groups", name), f"is what stands for every session; call the group otherwise than {ALL}"
    keys = data.get("keys")
    for index, entry in enumerate(keys if isinstance(keys, list) else ()):
        if isinstance(entry, dict) and "session_groups" in entry:
            path: KeyPath = ("keys", index, "session_groups")
            if entry.get("role") in SEE_ALL and entry["session_groups"] != ALL:
                yield path, f"limits nothing, as the role {entry['role']} sees every session; leave it out"
            yield from _find_unknown_groups(path, entry["session_groups"], known)
    tokens = data.get("tokens")
    claim = tokens.get("session_groups") if isinstance(tokens, dict) else None
    values = claim.get("values") if isinstance(claim, dict) else None
    for value, names in values.items() if isinstance(values, dict) else ():
        yield from _find_unknown_groups(("tokens", "session_groups", "values", value), names, known)


def _find_unknown_groups(path: KeyPath, names: Tree, known: list[str]) -> Iterator[tuple[KeyPath, str]]:
    for index, name in enumerate(names if isinstance(names, list) else ()):
        if isinstance(name, str) and name not in known:
            there = f"known here: {', '.join(known)}" if known else "there are none"
            yield (*path, index), f"is no name in session_groups; {there}"
