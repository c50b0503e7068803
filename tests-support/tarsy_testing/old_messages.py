"""Bodies of messages as earlier versions of the code wrote them; taken from that code, and never edited."""

from pathlib import Path

FOLDER = Path(__file__).parent.parent / "old_messages"


def old_message(type: str, version: int) -> bytes:
    return (FOLDER / f"{type}.{version}.json").read_bytes()
