"""Plain data of a YAML text in which every value is text, with the line of each key.

`name: 007` and `name: on` are names here, and a wrong date is a mistake with a line, not one of the YAML library.
"""

from dataclasses import dataclass

import yaml

from tarsy_auth.errors import AuthError

type KeyPath = tuple[str | int, ...]
type Tree = str | list["Tree"] | dict[str, "Tree"] | None

STANDARD_TAG = "tag:yaml.org,2002:"
NULL_TAG = f"{STANDARD_TAG}null"


class UnreadableTextError(AuthError):
    """The text is no YAML. The operator corrects the line."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


@dataclass(frozen=True, slots=True)
class TreeFault:
    """The rest of the text can be read all the same."""

    place: KeyPath
    line: int
    problem: str


class TextTree:
    """Raises UnreadableTextError. `faults` are keys that stand twice, and tags."""

    def __init__(self, text: str) -> None:
        self.faults: list[TreeFault] = []
        self._lines: dict[KeyPath, int] = {}
        root = _compose_yaml(text)
        self.data: Tree = None if root is None else self._build_tree(root, ())

    def line(self, path: KeyPath) -> int:
        """The line of a key or list item; of what is missing, the line of what it is missing in."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)

    def _build_tree(self, node: yaml.Node, path: KeyPath) -> Tree:
        line = self._lines.setdefault(path, node.start_mark.line + 1)
        if not node.tag.startswith(STANDARD_TAG):
            self.faults.append(TreeFault(path, line, f"has the tag {node.tag}; tags mean nothing here"))
        if isinstance(node, yaml.SequenceNode):
            return [self._build_tree(item, (*path, index)) for index, item in enumerate(node.value)]
        if isinstance(node, yaml.MappingNode):
            return self._build_mapping(node, path)
        return None if node.tag == NULL_TAG else str(node.value)

    def _build_mapping(self, node: yaml.MappingNode, path: KeyPath) -> Tree:
        found: dict[str, Tree] = {}
        for key, value in node.value:
            name = str(key.value)
            inside, line = (*path, name), key.start_mark.line + 1
            if name in found:
                self.faults.append(TreeFault(inside, line, "stands here a second time; take one of them out"))
                continue
            self._lines[inside] = line
            found[name] = self._build_tree(value, inside)
        return found


def _compose_yaml(text: str) -> yaml.Node | None:
    try:
        alias = next((token for token in yaml.scan(text) if isinstance(token, yaml.AliasToken)), None)
        if alias is not None:
            raise UnreadableTextError(alias.start_mark.line + 1, "aliases are not allowed here; write the value again")
        root: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        raise UnreadableTextError(mark.line + 1 if mark else 1, f"is not YAML: {problem.problem}") from None
    except yaml.reader.ReaderError as problem:
        line = text.count("\n", 0, problem.position) + 1
        raise UnreadableTextError(line, "has a control character, which no YAML has") from None
    except RecursionError:
        raise UnreadableTextError(1, "is nested too deeply") from None
    except (yaml.YAMLError, ValueError, OverflowError) as problem:
        raise UnreadableTextError(1, f"is not YAML: {problem}") from None
    return root
