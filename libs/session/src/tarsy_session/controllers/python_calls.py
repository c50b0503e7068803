"""Calls in Python's form, as some models write them: `[pods_list(namespace="shop"), nodes()]`. Pure; nothing is run."""

import ast
import re

from pydantic import JsonValue, TypeAdapter, ValidationError

LONGEST = 8_000
BEGINS = re.compile(r"\[?\s*(?:print\()?[A-Za-z_][\w.]{0,200}\(")
JSON: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)


def read_python_calls(text: str) -> list[tuple[str, dict[str, JsonValue]]]:
    """Returns nothing unless the text is calls with plain values, and nothing else."""
    if len(text) > LONGEST or not BEGINS.match(text):
        return []
    try:
        tree = ast.parse(text, mode="eval").body
        nodes = tree.elts if isinstance(tree, ast.List | ast.Tuple) else [tree]
        return [_read_call(node) for node in nodes]
    except (SyntaxError, ValueError, RecursionError, MemoryError, ValidationError):
        return []


def _read_call(node: ast.expr) -> tuple[str, dict[str, JsonValue]]:
    """The name and the arguments; of `print`, those of the call in it. Raises ValueError."""
    if not isinstance(node, ast.Call):
        raise ValueError("it is no call")
    name = ast.unparse(node.func).removesuffix(".call").removeprefix("default_api.").removeprefix("functions.")
    if name == "print" and len(node.args) == 1:
        return _read_call(node.args[0])
    if node.args:
        raise ValueError("an argument has no name")
    arguments = {pair.arg: JSON.validate_python(_literal_value(pair.value)) for pair in node.keywords if pair.arg}
    if len(arguments) != len(node.keywords):
        raise ValueError("arguments have no names of their own")
    return name, arguments


def _literal_value(node: ast.expr) -> object:
    """JSON's words are Python's names."""
    if isinstance(node, ast.Name) and node.id in ("true", "false", "null"):
        return {"true": True, "false": False, "null": None}[node.id]
    return ast.literal_eval(node)
