"""Regular expressions that a configuration holds: RE2 reads them, as no text holds it up."""

from typing import Any

import re2

from tarsy_config.values import wrong


def compile_regex(regex: str) -> Any:
    """It searches bytes. Raises the mistake of the configuration."""
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(regex.encode(), options)
    except re2.error as problem:
        remedy = "correct it: RE2 knows no lookaround and no backreferences"
        raise wrong(f"is not a regex of RE2 ({_reason_without_regex(problem)})", remedy) from None


def _reason_without_regex(problem: re2.error) -> str:
    """Without the part of the regex that follows it."""
    text = problem.args[0] if problem.args else ""
    text = text.decode(errors="replace") if isinstance(text, bytes) else str(text)
    return text.partition(":")[0]
