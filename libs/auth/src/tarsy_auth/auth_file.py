"""auth.yaml: read and checked whole, with every mistake at once."""

import difflib
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from tarsy_auth.auth_config import (
    ApiKeyEntry,
    AuthConfig,
    AuthModel,
    GroupClaim,
    LoginSettings,
    RoleClaim,
    TokenSettings,
    WebhookEntry,
)
from tarsy_auth.cross_checks import cross_checks
from tarsy_auth.errors import AuthError
from tarsy_auth.text_tree import KeyPath, TextTree, UnreadableTextError
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


def read_auth_file(path: Path, secret_files: set[Path] | None = None) -> AuthConfig:
    """Raises InvalidAuthFileError. Keys that have expired are no mistake: they are refused when they come.

    `secret_files` gets the files of secrets that it names, whatever they hold.
    """
    text = _text_of(path)
    try:
        tree = TextTree(text)
    except UnreadableTextError as problem:
        raise InvalidAuthFileError([AuthFileMistake(str(path), problem.line, "", str(problem))]) from None
    mistakes = [AuthFileMistake(str(path), fault.line, _path_text(fault.place), fault.problem) for fault in tree.faults]
    config, context = AuthConfig(), secrets_in(path.parent, set() if secret_files is None else secret_files)
    try:
        config = AuthConfig.model_validate({} if tree.data is None else tree.data, context=context)
    except ValidationError as problem:
        mistakes += [_to_mistake(path, tree, error) for error in problem.errors(include_url=False, include_input=False)]
    mistakes += [
        AuthFileMistake(str(path), tree.line(key_path), _path_text(key_path), sentence)
        for key_path, sentence in cross_checks(tree.data)
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


def _to_mistake(path: Path, tree: TextTree, error: ErrorDetails) -> AuthFileMistake:
    # Pydantic marks the key of a mapping so, where that is what is wrong.
    key_path: KeyPath = tuple(part for part in error["loc"] if part != "[key]")
    return AuthFileMistake(str(path), tree.line(key_path), _path_text(key_path), _describe_problem(key_path, error))


def _describe_problem(path: KeyPath, error: ErrorDetails) -> str:
    if error["type"] == "value_error":
        return str(error.get("ctx", {}).get("error"))
    if error["type"] == "extra_forbidden":
        return f"is unknown; {_suggest_name(str(path[-1]), _names_of(_model_at(path)))}"
    return PROBLEMS.get(error["type"], error["msg"])


def _model_at(path: KeyPath) -> type[AuthModel]:
    match path:
        case (_,):
            return AuthConfig
        case ("keys", *_):
            return ApiKeyEntry
        case ("webhooks", *_):
            return WebhookEntry
        case ("login", *_):
            return LoginSettings
        case ("tokens", "roles", *_):
            return RoleClaim if len(path) > 2 else TokenSettings
        case ("tokens", "session_groups", *_):
            return GroupClaim if len(path) > 2 else TokenSettings
        case _:
            return TokenSettings


def _names_of(model: type[AuthModel]) -> list[str]:
    """As the file writes them."""
    return [field.alias or name for name, field in model.model_fields.items()]


def _suggest_name(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else f"known here: {', '.join(known)}"


def _path_text(path: KeyPath) -> str:
    """`("keys", 0, "name")` as people write it: `keys[0].name`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
