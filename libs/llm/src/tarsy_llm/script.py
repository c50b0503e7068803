"""The script of the scripted model: YAML files of turns, checked whole when they are loaded."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, field_validator, model_validator
from pydantic_core import ErrorDetails

from tarsy_llm.yaml_lines import YamlLines, YamlWrong


class ScriptInvalid(Exception):
    """A script cannot be played. The message has one line for each mistake, with file and line."""


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ScriptedCall(Part):
    name: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


class ScriptedUsage(Part):
    input_tokens: int | None = None
    output_tokens: int | None = None
    thinking_tokens: int | None = None


class Turn(Part):
    """What the model does when this agent asks in this iteration.

    `needs`: texts that the conversation must hold, which proves that they arrived. `refuses`: texts that it must not
    hold (secrets). `fail`: the call fails with this sentence instead, `times` often when that is given.
    Of several turns for one agent and iteration, the first whose needs are met is played.
    """

    agent: str
    iteration: int = Field(ge=1)
    needs: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()
    thinking: str = ""
    text: str = ""
    tool_calls: tuple[ScriptedCall, ...] = ()
    usage: ScriptedUsage = ScriptedUsage()
    fail: str | None = None
    retryable: bool = False
    times: int | None = Field(None, ge=1)

    @model_validator(mode="after")
    def _does_something(self) -> Self:
        if self.fail is None and (self.retryable or self.times is not None):
            raise ValueError("retryable and times say something about a fail, and there is none")
        if (self.fail is None or self.times is not None) and not (self.text or self.tool_calls):
            raise ValueError("the turn has neither text nor tool_calls")
        return self


class ScriptFile(Part):
    turns: tuple[Turn, ...]

    @field_validator("turns")
    @classmethod
    def _some(cls, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
        if not turns:
            raise ValueError("the script has no turn")
        return turns


@dataclass(frozen=True, slots=True)
class PlacedTurn:
    """`place` is where it stands, as file and line."""

    turn: Turn
    place: str


@dataclass(frozen=True, slots=True)
class Script:
    turns: tuple[PlacedTurn, ...]


def load_scripts(files: Sequence[Path]) -> Script:
    """One script with the turns of all files, in order. Raises ScriptInvalid with every mistake of every file."""
    turns: list[PlacedTurn] = []
    mistakes: list[str] = []
    for file in files:
        try:
            turns += _turns_of(file)
        except ScriptInvalid as problem:
            mistakes.append(str(problem))
    if mistakes:
        raise ScriptInvalid("\n".join(mistakes))
    return Script(tuple(turns))


def _turns_of(file: Path) -> list[PlacedTurn]:
    try:
        document = YamlLines(file.read_text(encoding="utf-8"))
        turns = ScriptFile.model_validate(document.data).turns
    except (OSError, UnicodeDecodeError) as problem:
        raise ScriptInvalid(f"{file}: cannot be read: {problem}") from problem
    except YamlWrong as problem:
        raise ScriptInvalid(f"{file}:{problem.line}: {problem}") from problem
    except ValidationError as problem:
        rows = problem.errors(include_url=False, include_input=False)
        mistakes = sorted((document.line(row["loc"]), _sentence(row)) for row in rows)
        raise ScriptInvalid("\n".join(f"{file}:{line}: {text}" for line, text in mistakes)) from None
    return [PlacedTurn(turn, f"{file}:{document.line(('turns', index))}") for index, turn in enumerate(turns)]


def _sentence(row: ErrorDetails) -> str:
    place = row["loc"]
    message = row["msg"].removeprefix("Value error, ").replace("Input should", "it should", 1)
    if row["type"] == "extra_forbidden":
        known = list(_part(place).model_fields)
        near = difflib.get_close_matches(str(place[-1]), known, n=1)
        message = f"unknown key; did you mean {near[0]}?" if near else f"unknown key; known here: {', '.join(known)}"
    return f"{'.'.join(str(part) for part in place)}: {message}"


def _part(place: tuple[str | int, ...]) -> type[Part]:
    """What the key at the end of the place is a key of."""
    match place:
        case (_,):
            return ScriptFile
        case (_, _, "tool_calls", *_) if len(place) > 3:
            return ScriptedCall
        case (_, _, "usage", _):
            return ScriptedUsage
        case _:
            return Turn
