"""Go TARSy's HTTP answers, as one was recorded (go_tarsy_rest.json), and how ours differ in keys and types.

A shape has the type of each value. A value that was null there may be anything here; any
other must be there, and not null.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

FILE = Path(__file__).parent.parent / "go_tarsy_rest.json"
TYPES = {str: "str", bool: "bool", int: "int", float: "float", type(None): "null"}
PARTS_OF_NAMES = frozenset({"agents", "chains", "mcp_servers", "llm_providers", "skills"})
"""Objects whose keys are names: any entry stands for all."""


@dataclass(frozen=True, slots=True)
class GoAnswer:
    method: str
    path: str
    note: str
    status: int
    shape: JsonValue

    @property
    def endpoint(self) -> tuple[str, str]:
        return self.method, self.path.partition("?")[0]


def go_answers() -> list[GoAnswer]:
    return [GoAnswer(**row) for row in json.loads(FILE.read_text("utf-8"))]


def go_answer(method: str, path: str, note: str = "") -> GoAnswer:
    return next(one for one in go_answers() if (one.method, one.path, one.note) == (method, path, note))


def differences(shape: JsonValue, answer: JsonValue, at: str = "") -> set[str]:
    """Places of keys that are missing, null or of another type."""
    return set(_differences(shape, answer, at))


def _differences(shape: JsonValue, answer: JsonValue, at: str) -> Iterator[str]:
    match shape, answer:
        case dict(), dict():
            for key, value in shape.items():
                place = f"{at}.{key}" if at else key
                if key in PARTS_OF_NAMES and not at and isinstance(value, dict) and isinstance(answer.get(key), dict):
                    yield from _named(value, answer[key], place)
                elif key in answer:
                    yield from _differences(value, answer[key], place)
                else:
                    yield f"{place}: missing"
        case list(), list():
            if shape and not answer:
                yield f"{at}[]: none"
            for item in answer if shape else []:
                yield from _differences(shape[0], item, f"{at}[]")
        case "null", _:
            return
        case _:
            found = TYPES.get(type(answer), type(answer).__name__)
            wanted = shape if isinstance(shape, str) else type(shape).__name__
            if found != wanted:
                yield f"{at}: {found}, not {wanted}"


def _named(shapes: JsonValue, answers: JsonValue, at: str) -> Iterator[str]:
    assert isinstance(shapes, dict)
    assert isinstance(answers, dict)
    for shape in shapes.values():
        for answer in answers.values():
            yield from _differences(shape, answer, f"{at}.NAME")
