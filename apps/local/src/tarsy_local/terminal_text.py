"""Text from outside, made fit for a terminal."""


def printable(text: str) -> str:
    """Without control characters, which could write anywhere on the terminal."""
    whole = text.replace("\r\n", "\n")
    return "".join(char if char in "\n\t" or char.isprintable() else "�" for char in whole)


def one_line(text: str) -> str:
    return " ".join(printable(text).split())
