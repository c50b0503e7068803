"""The script of the scripted model: YAML files of turns, checked whole when they are loaded."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, field_validator, model_validator
from pydantic_core import ErrorDetails

from tarsy_contracts.native_calls import NativeCall, TextCitation
from tarsy_llm.errors import LlmError
from tarsy_llm.protocol import ErrorKind
from tarsy_llm.scripted.yaml_lines import InvalidYamlError, YamlLines

MIDWAY: frozenset[ErrorKind] = frozenset({"stalled", "cut_off", "answer_too_long"})


class InvalidScriptError(LlmError):
    """A script cannot be played. The message has one line for each mistake, with file and line.

    The operator corrects it.
    """


class ScriptPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ScriptedCall(ScriptPart):
    name: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


class ScriptedUsage(ScriptPart):
    input_tokens: int | None = None
    output_tokens: int | None = None
    thinking_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_written_tokens: int | None = None


class ScriptedNativeCall(NativeCall):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ScriptedTurn(ScriptPart):
    """A turn of the model when this agent asks in this iteration; without one, in any for which no other turn fits.

    `needs`: texts that the conversation must hold, which proves that they arrived. `refuses`: texts that it must not
    hold (secrets). `fail`: the call fails with this sentence instead, `times` often when that is given. `kind`: that of
    the failure; those of `MIDWAY` come after half of what the turn says. Without a `kind`, `retryable` chooses
    between provider_error and invalid_request. When several turns fit, the first whose needs are met is played.

    `native_calls`: what the model does with tools of its provider, where the agent has them. `citations`: where `text`
    rests on their pages.
    """

    agent: str
    iteration: int | None = Field(None, ge=1)
    needs: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()
    thinking: str = ""
    text: str = ""
    tool_calls: tuple[ScriptedCall, ...] = ()
    native_calls: tuple[ScriptedNativeCall, ...] = ()
    citations: tuple[TextCitation, ...] = ()
    usage: ScriptedUsage = ScriptedUsage()
    fail: str | None = None
    kind: ErrorKind | None = None
    retryable: bool = False
    retry_after_seconds: float | None = Field(None, ge=0, allow_inf_nan=False)
    times: int | None = Field(None, ge=1)

    @property
    def fails_midway(self) -> bool:
        return self.fail is not None and self.kind in MIDWAY

    @model_validator(mode="after")
    def _fails_in_one_way(self) -> Self:
        of_fail = {"kind", "retryable", "retry_after_seconds", "times"} & self.model_fields_set
        if self.fail is None and of_fail:
            raise ValueError("kind, retryable, retry_after_seconds and times belong to a fail, and there is none")
        if self.kind is not None and "retryable" in self.model_fields_set:
            raise ValueError("kind says already whether it is retryable")
        return self

    @model_validator(mode="after")
    def _does_something(self) -> Self:
        if (self.fail is None or self.times is not None) and not (self.text or self.tool_calls):
            raise ValueError("the turn has neither text nor tool_calls")
        if self.fails_midway and not (self.text or self.thinking):
            raise ValueError(
                f"{self.kind} comes in the middle of an answer, and the turn has neither text nor thinking"
            )
        return self


class ScriptFile(ScriptPart):
    turns: tuple[ScriptedTurn, ...]

    @field_validator("turns")
    @classmethod
    def _some(cls, turns: tuple[ScriptedTurn, ...]) -> tuple[ScriptedTurn, ...]:
        if not turns:
            raise ValueError("the script has no turn")
        return turns


@dataclass(frozen=True, slots=True)
class PlacedTurn:
    """`place` is where it stands, as file and line."""

    turn: ScriptedTurn
    place: str


@dataclass(frozen=True, slots=True)
class Script:
    turns: tuple[PlacedTurn, ...]


def load_scripts(files: Sequence[Path]) -> Script:
    """One script with the turns of all files, in order. Raises InvalidScriptError with every mistake of every file."""
    turns: list[PlacedTurn] = []
    mistakes: list[str] = []
    for file in files:
        try:
            turns += _turns_of(file)
        except InvalidScriptError as problem:
            mistakes.append(str(problem))
    if mistakes:
        raise InvalidScriptError("\n".join(mistakes))
    return Script(tuple(turns))


def _turns_of(file: Path) -> list[PlacedTurn]:
    try:
        document = YamlLines(file.read_text(encoding="utf-8"))
        turns = ScriptFile.model_validate(document.data).turns
    except (OSError, UnicodeDecodeError) as problem:
        raise InvalidScriptError(f"{file}: cannot be read: {problem}") from problem
    except InvalidYamlError as problem:
        raise InvalidScriptError(f"{file}:{problem.line}: {problem}") from problem
    except ValidationError as problem:
        rows = problem.errors(include_url=False, include_input=False)
        mistakes = sorted((document.line(row["loc"]), _sentence(row)) for row in rows)
        raise InvalidScriptError("\n".join(f"{file}:{line}: {text}" for line, text in mistakes)) from None
    return [PlacedTurn(turn, f"{file}:{document.line(('turns', index))}") for index, turn in enumerate(turns)]


def _sentence(row: ErrorDetails) -> str:
    path = row["loc"]
    message = row["msg"].removeprefix("Value error, ").replace("Input should", "it should", 1)
    if row["type"] == "extra_forbidden":
        known = list(_part(path).model_fields)
        near = difflib.get_close_matches(str(path[-1]), known, n=1)
        message = f"unknown key; did you mean {near[0]}?" if near else f"unknown key; known here: {', '.join(known)}"
    return f"{'.'.join(str(part) for part in path)}: {message}"


def _part(path: tuple[str | int, ...]) -> type[ScriptPart]:
    """The model that the key at the end of the place belongs to."""
    match path:
        case (_,):
            return ScriptFile
        case (_, _, "tool_calls", *_) if len(path) > 3:
            return ScriptedCall
        case (_, _, "usage", _):
            return ScriptedUsage
        case _:
            return ScriptedTurn
