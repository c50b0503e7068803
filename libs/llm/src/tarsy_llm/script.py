"""The script of the scripted model: a YAML file of turns, checked whole when it is loaded."""

from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from tarsy_llm.yaml_lines import YamlLines, YamlWrong


class ScriptInvalid(Exception):
    """The script cannot be played. The message has one line for each mistake, with file and line."""


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


class Script(Part):
    turns: tuple[Turn, ...] = Field(min_length=1)


def load_script(file: Path) -> Script:
    """Raises ScriptInvalid with every mistake."""
    try:
        document = YamlLines(file.read_text(encoding="utf-8"))
        return Script.model_validate(document.data)
    except (OSError, UnicodeDecodeError) as problem:
        raise ScriptInvalid(f"{file}: cannot be read: {problem}") from problem
    except YamlWrong as problem:
        raise ScriptInvalid(f"{file}:{problem.line}: {problem}") from problem
    except ValidationError as problem:
        rows = problem.errors(include_url=False, include_input=False)
        mistakes = sorted((document.line(row["loc"]), _sentence(row["loc"], row["msg"])) for row in rows)
        raise ScriptInvalid("\n".join(f"{file}:{line}: {text}" for line, text in mistakes)) from None


def _sentence(place: tuple[Any, ...], message: str) -> str:
    if message == "Extra inputs are not permitted":
        message = f"unknown key; known keys of a turn: {', '.join(Turn.model_fields)}"
    return f"{'.'.join(str(part) for part in place)}: {message}"
