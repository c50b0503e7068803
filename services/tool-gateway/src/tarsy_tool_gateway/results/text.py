"""Truncation of text at a space. Pure."""


def truncate_at_space(text: str, most: int) -> str:
    """At most `most` characters, of whole words: half a secret would pass the masking, for it is none any longer."""
    if len(text) <= most:
        return text
    kept = text[: most - 1]
    words = kept.rsplit(maxsplit=1)[:-1] if not kept[-1:].isspace() else [kept]
    return f"{words[0].rstrip()} …" if words else "…"
