"""Digest of all content that skills are made of, to see that it has changed."""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from tarsy_config.skills.skill_files import MOST_FILES, MOST_SKILLS, find_files, find_sources, read_bytes


def digest_of_folders(config_dir: Path, folders: Sequence[str]) -> bytes:
    digest = hashlib.sha256()
    for path in _all_files(config_dir, folders):
        try:
            content = read_bytes(path)
        except OSError as problem:
            content = str(problem.errno).encode()
        digest.update(f"{path}\0{len(content)}\0".encode() + content)
    return digest.digest()


def _all_files(config_dir: Path, folders: Sequence[str]) -> Iterator[Path]:
    for name in folders:
        for source in islice(find_sources(config_dir / name), MOST_SKILLS + 1):
            yield source.main
            if source.folder is not None:
                yield from islice(find_files(source.folder), MOST_FILES + 1)
