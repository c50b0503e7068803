"""How much of a text people are shown at once: the same in history and live."""

LIMIT_BYTES = 32_000


def display_cut(text: str) -> tuple[str, bool]:
    """At most LIMIT_BYTES of UTF-8, cut after the last line that fits; and whether something was cut."""
    data = text.encode()
    if len(data) <= LIMIT_BYTES:
        return text, False
    kept = data[:LIMIT_BYTES].decode(errors="ignore")
    end = kept.rfind("\n") + 1
    return kept[: end or len(kept)], True
