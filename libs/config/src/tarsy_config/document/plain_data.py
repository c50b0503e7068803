"""A YAML file as plain data that remembers the line of every key, and the mistakes met while it was read."""

from collections.abc import Mapping
from pathlib import Path

import yaml

from tarsy_config.document.templates import InvalidTemplateError, fill, variables
from tarsy_config.errors import KeyPath, Mistake, Note, format_path

type Plain = dict[str, Plain] | list[Plain] | str | int | float | bool | None

DEEPEST = 32
"""An alias that contains itself has no end."""
SCALARS = frozenset(f"tag:yaml.org,2002:{name}" for name in ("int", "float", "bool", "null"))


class Document:
    """`data` holds what could be read; `mistakes` says what could not. `readable`: it is YAML at all.

    `lines` has the line of every key, `texts` each value as it is written, `variables` the environment variables in it.
    """

    def __init__(self, file: Path, environ: Mapping[str, str]) -> None:
        self.name = file.name
        self.mistakes: list[Mistake] = []
        self.notes: list[Note] = []
        self.readable = False
        self._environ = environ
        self.lines: dict[KeyPath, int] = {}
        self.texts: dict[KeyPath, str] = {}
        self.variables: dict[KeyPath, tuple[str, ...]] = {}
        self._scalars = yaml.constructor.SafeConstructor()
        self.data: Plain = self._read_file(file)

    def nearest_line(self, path: KeyPath) -> int | None:
        """The line of a key or list item; of what is missing, the line of what it is missing in."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def wrong(self, path: KeyPath, problem: str, remedy: str) -> None:
        self.mistakes.append(Mistake(self.name, self.nearest_line(path), format_path(path), problem, remedy))

    def note(self, path: KeyPath, sentence: str) -> None:
        self.notes.append(Note(self.name, self.nearest_line(path), format_path(path), sentence))

    def _read_file(self, file: Path) -> Plain:
        try:
            root = yaml.compose(file.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
            data = {} if root is None else self._read_node(root, ())
        except OSError as problem:
            reason = problem.strerror or str(problem)
            self.mistakes.append(Mistake(self.name, None, "", f"cannot be read ({reason})", f"expected at {file}"))
        except UnicodeDecodeError:
            self.mistakes.append(Mistake(self.name, None, "", "is not UTF-8 text", "save it as UTF-8"))
        except yaml.MarkedYAMLError as problem:
            line = problem.problem_mark.line + 1 if problem.problem_mark else None
            self.mistakes.append(Mistake(self.name, line, "", f"is not YAML: {problem.problem}", "correct the syntax"))
        except yaml.YAMLError:
            self.mistakes.append(Mistake(self.name, None, "", "holds characters that YAML forbids", "remove them"))
        except RecursionError:
            self.mistakes.append(Mistake(self.name, None, "", "is nested too deeply", "make it simpler"))
        else:
            self.readable = True
            return data
        return {}

    def _read_node(self, node: yaml.Node, path: KeyPath) -> Plain:
        self.lines.setdefault(path, node.start_mark.line + 1)
        if len(path) > DEEPEST:
            self.wrong(path[:3], "is nested too deeply", "remove the alias that contains itself")
            return None
        match node:
            case yaml.MappingNode():
                return self._read_mapping(node, path)
            case yaml.SequenceNode():
                return [self._read_node(item, (*path, index)) for index, item in enumerate(node.value)]
            case _:
                return self._read_scalar(node, path)

    def _read_mapping(self, node: yaml.MappingNode, path: KeyPath) -> Plain:
        self._complain_of_repeated_keys(node, path)
        self._scalars.flatten_mapping(node)  # merge keys (<<)
        found: dict[str, Plain] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                self.wrong(path, "has a key that is not a name", 'templates are written in quotes: "{{.NAME}}"')
                continue
            inside = (*path, key.value)
            self.lines[inside] = key.start_mark.line + 1
            found[key.value] = self._read_node(value, inside)
        return found

    def _complain_of_repeated_keys(self, node: yaml.MappingNode, key_path: KeyPath) -> None:
        seen: dict[str, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if isinstance(key, yaml.ScalarNode) and key.value in seen and key.value != "<<":
                path = format_path((*key_path, key.value))
                problem = f"is here a second time (first in line {seen[key.value]})"
                self.mistakes.append(Mistake(self.name, line, path, problem, "keep one of them"))
            elif isinstance(key, yaml.ScalarNode):
                seen[key.value] = line

    def _read_scalar(self, node: yaml.Node, path: KeyPath) -> Plain:
        """Numbers, booleans and null as YAML has them; all else (dates too) is text."""
        self.texts[path] = f"{node.tag} {node.value}"
        if node.tag in SCALARS:
            return self._construct_value(node, path)
        if names := variables(str(node.value)):
            self.variables[path] = names
        try:
            return fill(str(node.value), self._environ)
        except InvalidTemplateError as wrong:
            self.wrong(path, wrong.problem, wrong.remedy)
            return str(node.value)

    def _construct_value(self, node: yaml.Node, path: KeyPath) -> Plain:
        try:
            value: Plain = self._scalars.construct_object(node)
        except (LookupError, ValueError):
            self.wrong(path, "is not what its tag says", "remove the tag, or correct the value")
            return None
        return value
