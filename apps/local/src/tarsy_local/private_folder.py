"""Access rights of the folder `.tarsy`: its owner's only, as it holds alerts that nobody has masked, and passwords."""

from pathlib import Path

OWNER_ONLY = 0o700
FOLDERS = ("kafka", "postgres", "logs")
FILES = ("instance.", "masking.", "tarsy.log", "lab-")


def make_private(folder: Path) -> None:
    """Makes the folder, or mends the rights of one that is there. Raises OSError when it is somebody else's.

    A folder that somebody named and that holds other things too keeps its rights: only what is ours in it is closed.
    """
    folder.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
    entries = list(folder.iterdir())
    if all(_is_ours(entry) for entry in entries):
        folder.chmod(OWNER_ONLY)
    for entry in entries:
        if entry.name in FOLDERS and entry.is_dir():
            entry.chmod(OWNER_ONLY)
        elif _is_ours(entry) and entry.is_file():
            entry.chmod(0o600)


def _is_ours(entry: Path) -> bool:
    return entry.name in FOLDERS or entry.name.startswith(FILES)
