"""auth.yaml: read and checked whole, with every mistake at once."""

import difflib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from tarsy_auth.auth_config import (
    ApiKeyEntry,
    AuthConfig,
    AuthModel,
    LoginSettings,
    RoleClaim,
    TokenSettings,
    WebhookEntry,
)
from tarsy_auth.errors import AuthError
from tarsy_auth.text_tree import Place, TextTree, Tree, UnreadableTextError
from tarsy_auth.webhook_secrets import secrets_in

MOST_BYTES = 1 << 20
PROBLEMS = {
    "missing": "is missing",
    "string_type": "is no text",
    "tuple_type": "is no list",
    "mapping_type": "is no mapping of names to values",
    "model_type": "is no mapping of names to values",
    "too_short": "is empty",
}
"""By type of pydantic's errors."""
UNIQUE = (("keys", "name"), ("keys", "sha256"), ("webhooks", "name"), ("webhooks", "secret_file"))
"""Sections and the field of which each entry has its own."""


@dataclass(frozen=True, slots=True)
class AuthFileMistake:
    """`line` is None for what is wrong with the file as such."""

    file: str
    line: int | None
    path: str
    problem: str

    def __str__(self) -> str:
        at = f"{self.file}:{self.line}" if self.line is not None else self.file
        return f"{at}: {self.path}: {self.problem}" if self.path else f"{at}: {self.problem}"


class InvalidAuthFileError(AuthError, ValueError):
    """The file cannot be used. The message has one line for each mistake. The operator corrects it."""

    def __init__(self, mistakes: Sequence[AuthFileMistake]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(str(mistake) for mistake in self.mistakes))


def read_auth_file(path: Path) -> AuthConfig:
    """Raises InvalidAuthFileError. Keys that have expired are no mistake: they are refused when they come."""
    text = _text_of(path)
    try:
        tree = TextTree(text)
    except UnreadableTextError as problem:
        raise InvalidAuthFileError([AuthFileMistake(str(path), problem.line, "", str(problem))]) from None
    mistakes = [AuthFileMistake(str(path), fault.line, _written(fault.place), fault.problem) for fault in tree.faults]
    config = AuthConfig()
    try:
        config = AuthConfig.model_validate({} if tree.data is None else tree.data, context=secrets_in(path.parent))
    except ValidationError as problem:
        mistakes += [_mistake(path, tree, error) for error in problem.errors(include_url=False, include_input=False)]
    mistakes += [
        AuthFileMistake(str(path), tree.line(place), _written(place), sentence)
        for place, sentence in _cross_checks(tree.data)
    ]
    if mistakes:
        raise InvalidAuthFileError(sorted(mistakes, key=lambda mistake: mistake.line or 0))
    return config


def _text_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            data = file.read(MOST_BYTES + 1)
    except OSError as problem:
        raise _file_error(path, f"cannot be read: {problem.strerror or problem}") from None
    if mode & stat.S_IWOTH:
        raise _file_error(
            path,
            f"may be written by everybody on this machine (mode {mode:04o}), and whoever writes it is an admin; "
            f"run chmod o-w {path}",
        )
    if len(data) > MOST_BYTES:
        raise _file_error(path, "has more than a megabyte, and is no auth.yaml")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _file_error(path, "is not UTF-8") from None


def _file_error(path: Path, problem: str) -> InvalidAuthFileError:
    return InvalidAuthFileError([AuthFileMistake(str(path), None, "", problem)])


def _mistake(path: Path, tree: TextTree, error: ErrorDetails) -> AuthFileMistake:
    place: Place = error["loc"]
    return AuthFileMistake(str(path), tree.line(place), _written(place), _problem(place, error))


def _problem(place: Place, error: ErrorDetails) -> str:
    if error["type"] == "value_error":
        return str(error.get("ctx", {}).get("error"))
    if error["type"] == "extra_forbidden":
        return f"is unknown; {_suggestion(str(place[-1]), _names_of(_model_at(place)))}"
    return PROBLEMS.get(error["type"], error["msg"])


def _model_at(place: Place) -> type[AuthModel]:
    match place:
        case (_,):
            return AuthConfig
        case ("keys", *_):
            return ApiKeyEntry
        case ("webhooks", *_):
            return WebhookEntry
        case ("login", *_):
            return LoginSettings
        case ("tokens", "roles", *_):
            return RoleClaim if len(place) > 2 else TokenSettings
        case _:
            return TokenSettings


def _names_of(model: type[AuthModel]) -> list[str]:
    """As the file writes them."""
    return [field.alias or name for name, field in model.model_fields.items()]


def _suggestion(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else f"known here: {', '.join(known)}"


def _cross_checks(data: Tree) -> Iterator[tuple[Place, str]]:
    """The tree is looked at, not the models: a file with other mistakes has these, too."""
    if not isinstance(data, dict | None):
        return
    keys = data and data.get("keys")
    if not keys and not (data and data.get("tokens")):
        yield (), "has neither keys nor tokens, so that nobody could come in; write one of them"
    yield from _login_checks(data or {})
    for section, field in UNIQUE:
        yield from _doubles(section, data and data.get(section), field)


def _login_checks(data: Mapping[str, Tree]) -> Iterator[tuple[Place, str]]:
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


def _doubles(section: str, entries: Tree, field: str) -> Iterator[tuple[Place, str]]:
    first: dict[str, int] = {}
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        value = entry.get(field) if isinstance(entry, dict) else None
        if isinstance(value, str):
            known = first.setdefault(value.lower() if field == "sha256" else value, index)
            if known != index:
                one = section.removesuffix("s")
                yield (section, index, field), f"stands in {section}[{known}], too; each {one} needs its own"


def _written(place: Place) -> str:
    """`("keys", 0, "name")` as people write it: `keys[0].name`."""
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
