"""The frontmatter of a `SKILL.md`: YAML between two lines of dashes, and the body behind it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from tarsy_config.errors import ConfigError

DASHES = "---"
NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?")
DESCRIPTION_CHARACTERS = 1024


class InvalidSkillError(ConfigError, ValueError):
    """A skill cannot be read. The operator corrects the line."""

    def __init__(self, line: int, path: str, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.line, self.path, self.problem, self.remedy = line, path, problem, remedy


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """`lines`: of the keys. `body_line`: the first of the body. Other keys of the open format are left out."""

    name: str
    description: str
    tools: tuple[str, ...]
    alert_types: tuple[str, ...]
    body: str
    body_line: int
    lines: Mapping[str, int]


def has_frontmatter(text: str) -> bool:
    """Blank lines before it are no text."""
    return text.removeprefix("\ufeff").lstrip().split("\n", 1)[0].rstrip() == DASHES


def parse_skill(text: str) -> Frontmatter:
    """Raises InvalidSkillError."""
    lines = text.removeprefix("\ufeff").splitlines()
    if not has_frontmatter(text):
        raise InvalidSkillError(1, "", "has no frontmatter", "begin it with ---, name, description and ---")
    _, *ends = (at for at, line in enumerate(lines) if line.rstrip() == DASHES)
    if not ends:
        raise InvalidSkillError(1, "", "has a frontmatter without an end", "close it with a line ---")
    end = ends[0]
    keys, at = _read_keys("\n".join(lines[:end]))
    header = _Header(keys, at)
    blank = next((count for count, line in enumerate(lines[end + 1 :]) if line.strip()), 0)
    return Frontmatter(
        name=header.name(),
        description=header.description(),
        tools=header.names("tools"),
        alert_types=header.names("alert_types"),
        body="\n".join(lines[end + 1 + blank :]).rstrip(),
        body_line=end + 2 + blank,
        lines=at,
    )


def _read_keys(text: str) -> tuple[dict[str, object], dict[str, int]]:
    """`text` has the dashes and what stands before them, so that its lines are those of the file."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.MarkedYAMLError as problem:
        line = problem.problem_mark.line + 1 if problem.problem_mark else 1
        remedy = "correct the syntax; a text with a colon stands in quotes"
        raise InvalidSkillError(line, "", f"is not YAML: {problem.problem}", remedy) from None
    except (yaml.YAMLError, RecursionError, ValueError):
        raise InvalidSkillError(1, "", "has a frontmatter that cannot be read", "make it simple YAML") from None
    if not isinstance(root, yaml.MappingNode) or not isinstance(data, dict):
        raise InvalidSkillError(1, "", "has a frontmatter without keys", "write name and description")
    at = {key.value: key.start_mark.line + 1 for key, _ in root.value if isinstance(key, yaml.ScalarNode)}
    return {str(key): value for key, value in data.items()}, at


@dataclass(frozen=True, slots=True)
class _Header:
    keys: Mapping[str, object]
    lines: Mapping[str, int]

    def name(self) -> str:
        name = self._text("name")
        if NAME.fullmatch(name) is None:
            raise self._wrong("name", "cannot name a skill", "use at most 64 letters, digits, - . and _")
        return name

    def description(self) -> str:
        description = " ".join(self._text("description").split())
        if len(description) > DESCRIPTION_CHARACTERS:
            problem = f"has {len(description)} characters"
            raise self._wrong("description", problem, f"say in at most {DESCRIPTION_CHARACTERS} when to use the skill")
        return description

    def names(self, key: str) -> tuple[str, ...]:
        value = self.keys.get(key)
        listed = value if isinstance(value, list) else [] if value is None else [value]
        if not all(isinstance(one, str) and one for one in listed):
            raise self._wrong(key, "is not a list of names", "write [a, b]")
        return tuple(dict.fromkeys(map(str, listed)))

    def _text(self, key: str) -> str:
        value = self.keys.get(key)
        if not isinstance(value, str) or not value.strip():
            problem = "is missing" if value is None else "is not text"
            raise self._wrong(key, problem, "add it" if value is None else "write the value in quotes")
        return value.strip()

    def _wrong(self, key: str, problem: str, remedy: str) -> InvalidSkillError:
        return InvalidSkillError(self.lines.get(key, 1), key, problem, remedy)
