"""Files of a folder of skills: which there are, and that none of them lies outside.

A skill is a folder with `SKILL.md`, or one file (`NAME.md`, or `NAME` as a ConfigMap has it). Names that begin with a
dot are no skills: Kubernetes keeps the content of a ConfigMap behind such names, and links to it.
"""

import errno
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SKILL_FILE = "SKILL.md"
FLAT = frozenset({"", ".md"})
NO_SKILLS = frozenset({"readme.md", "readme", "license", "license.md"})
MOST_SKILLS = 200
MOST_FILES = 50
DEEPEST = 4
FILE_BYTES = 64 * 1024
"""Limit of a body, and of each further file."""


@dataclass(frozen=True, slots=True)
class SkillSource:
    """`main` has frontmatter and body; `folder` its further files, None of a flat one."""

    main: Path
    folder: Path | None


def find_sources(folder: Path) -> Iterator[SkillSource]:
    """In the order of their names. Nothing where there is no such folder."""
    for entry in _entries(folder):
        if entry.is_dir():
            if (entry / SKILL_FILE).is_file():
                yield SkillSource(entry / SKILL_FILE, entry)
        elif entry.is_file() and entry.suffix.lower() in FLAT and entry.name.lower() not in NO_SKILLS:
            yield SkillSource(entry, None)


def find_files(folder: Path) -> Iterator[Path]:
    """Further files of a skill, by their paths. Links that lead out of it are there, too: `is_inside` tells them."""
    yield from (path for path in _walk(folder, DEEPEST) if path != folder / SKILL_FILE)


def is_inside(path: Path, folder: Path) -> bool:
    """Whether it lies there after all links were followed."""
    try:
        return path.resolve(strict=True).is_relative_to(folder.resolve(strict=True))
    except (OSError, RuntimeError):
        return False


def read_bytes(path: Path) -> bytes:
    """At most one byte more than a file may have. Raises OSError, also for a pipe: nobody may ever write to it."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is not a file")
    with path.open("rb") as file:
        return file.read(FILE_BYTES + 1)


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    """A link to a folder is an entry: what it leads to is elsewhere, or there already."""
    for entry in _entries(folder):
        if entry.is_symlink() or not entry.is_dir():
            yield entry
        elif depth > 1:
            yield from _walk(entry, depth - 1)


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError:
        return []
