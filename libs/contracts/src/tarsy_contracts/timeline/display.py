"""How much of a text people are shown at once: the same in history and live."""

from pydantic import JsonValue

LIMIT_BYTES = 32_000
KILOBYTE = 1_024


def display_cut(text: str) -> tuple[str, bool]:
    """At most LIMIT_BYTES of UTF-8, cut after the last line that fits; and whether something was cut."""
    data = text.encode()
    if len(data) <= LIMIT_BYTES:
        return text, False
    kept = data[:LIMIT_BYTES].decode(errors="ignore")
    end = kept.rfind("\n") + 1
    return kept[: end or len(kept)], True


def display_item(text: str, metadata: dict[str, JsonValue]) -> tuple[str, dict[str, JsonValue]]:
    """Text and metadata of an item of the timeline.

    A truncated result of a call (it has a `size`) says so at its end, even where only its text is kept or copied.
    """
    shown, cut = display_cut(text)
    size = metadata.get("size")
    if isinstance(size, int) and (cut or metadata.get("cut") is True):
        shown = mark_cut(shown, max(size, len(text.encode())))
    return shown, {**metadata, "display_cut": True} if cut else metadata


def mark_cut(text: str, size: int) -> str:
    """The text of a result of so many bytes that was cut, with a note in the words of Go TARSy."""
    limit = max(LIMIT_BYTES, len(text.encode()))
    note = f"Original size: {size // KILOBYTE}KB, limit: {limit // KILOBYTE}KB"
    return f"{text.rstrip()}\n\n[TRUNCATED: Output exceeded storage display limit \N{EM DASH} {note}]"
