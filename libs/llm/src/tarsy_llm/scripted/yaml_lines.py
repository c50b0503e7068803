"""Plain data of a YAML text, with the line of every key."""

from typing import Any

import yaml

from tarsy_llm.errors import LlmError

type KeyPath = tuple[str | int, ...]


class InvalidYamlError(LlmError, ValueError):
    """The text is not the YAML that is wanted here. The operator corrects the line."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


class YamlLines:
    """Raises InvalidYamlError. No aliases: nobody repeats himself in a script."""

    def __init__(self, text: str) -> None:
        self._lines: dict[KeyPath, int] = {}
        try:
            alias = next((token for token in yaml.scan(text) if isinstance(token, yaml.AliasToken)), None)
            root = yaml.compose(text, Loader=yaml.SafeLoader)
            self.data: Any = None if root is None else yaml.constructor.SafeConstructor().construct_document(root)
        except yaml.MarkedYAMLError as problem:
            mark = problem.problem_mark
            raise InvalidYamlError(mark.line + 1 if mark else 1, f"is not YAML: {problem.problem}") from problem
        except RecursionError:
            raise InvalidYamlError(1, "is nested too deeply") from None
        except (yaml.YAMLError, ValueError) as problem:
            raise InvalidYamlError(1, f"is not YAML: {problem}") from problem
        if alias is not None:
            raise InvalidYamlError(alias.start_mark.line + 1, "aliases are not allowed here")
        if root is not None:
            self._note(root, ())

    def line(self, path: KeyPath) -> int:
        """The line of a key or list item; of what is missing, the line of what it is missing in."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def _note(self, node: yaml.Node, path: KeyPath) -> None:
        self._lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, yaml.SequenceNode):
            for index, item in enumerate(node.value):
                self._note(item, (*path, index))
        elif isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                inside = (*path, str(key.value))
                if inside in self._lines:
                    raise InvalidYamlError(key.start_mark.line + 1, f"{key.value} stands here a second time")
                self._lines[inside] = key.start_mark.line + 1
                self._note(value, inside)
