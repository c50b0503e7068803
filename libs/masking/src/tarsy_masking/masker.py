"""Secrets out of text and JSON, before either is written anywhere."""

import logging
from copy import copy
from typing import Self

from tarsy_masking.json_value import JsonValue
from tarsy_masking.kubernetes_json import mask_json_secrets
from tarsy_masking.kubernetes_objects import holds_secrets, lists_secrets, without_data
from tarsy_masking.kubernetes_yaml import mask_yaml_secrets
from tarsy_masking.patterns import PatternFile, read_patterns
from tarsy_masking.placeholders import Placeholder, keyed, plain
from tarsy_masking.substitution import Substitution
from tarsy_masking.telling_names import TellingNames

REDACTED = "[REDACTED: masking failed]"
_MAX_DEPTH = 64
_SCALARS = frozenset({type(None), bool, int, float})
# One round finds everything; a second sees what the first one's replacements have brought together.
_MAX_ROUNDS = 8

_log = logging.getLogger(__name__)


class NeverSettlesError(Exception):
    """Masking the masked text would change it again and again."""


class Masker:
    """Fails closed: what could not be masked is redacted as a whole. Neither `mask` nor `mask_json` raises."""

    def __init__(self, patterns: PatternFile, key: bytes | None = None) -> None:
        self._substitution = Substitution(patterns)
        self._names = TellingNames(patterns)
        self._key = key
        self._placeholder: Placeholder = plain

    @classmethod
    def default(cls, key: bytes | None = None) -> Self:
        """Compiles all patterns: build one for the process. With a key, `for_session` tells secrets apart."""
        return cls(read_patterns(), key)

    def for_session(self, session_id: str) -> Self:
        """The same rules. Whoever has the same key writes the same placeholder for the same secret of this session."""
        if self._key is None:
            return self
        session = copy(self)
        session._placeholder = keyed(self._key, session_id)
        return session

    def mask(self, text: str) -> str:
        try:
            return self._settled(text)
        # Whatever went wrong, the text may hold a secret.
        except Exception as error:  # noqa: BLE001
            return _redacted(error)

    def mask_json(self, value: JsonValue) -> JsonValue:
        """Masks every string; keys stay. What stands beside a telling key goes even if it has no form of its own."""
        try:
            return self._mask_value(value, depth=0, inside_list=False)
        except Exception as error:  # noqa: BLE001
            return _redacted(error)

    def _settled(self, text: str) -> str:
        # A lone surrogate is no text that could be written; as a question mark it is, and hides nothing.
        text = text.encode(errors="replace").decode()
        for _ in range(_MAX_ROUNDS):
            masked = self._round(text)
            if masked == text:
                return text
            text = masked
        raise NeverSettlesError

    def _round(self, text: str) -> str:
        text = mask_json_secrets(mask_yaml_secrets(text))
        return self._substitution.apply(text.encode(), self._placeholder).decode(errors="replace")

    def _mask_value(self, value: JsonValue, *, depth: int, inside_list: bool) -> JsonValue:
        if depth > _MAX_DEPTH:
            return REDACTED
        if isinstance(value, str):
            return self.mask(value)
        if isinstance(value, list):
            return [self._mask_value(item, depth=depth + 1, inside_list=inside_list) for item in value]
        if isinstance(value, dict):
            body = without_data(value) if holds_secrets(value, inside_list=inside_list) else value
            inside = inside_list or lists_secrets(value)
            hidden = self._names.hide_beside(body)
            return {key: self._mask_value(item, depth=depth + 1, inside_list=inside) for key, item in hidden.items()}
        # Callers may hand over what only claims to be JSON.
        return value if type(value) in _SCALARS else REDACTED


def _redacted(error: Exception) -> str:
    # Its type only: messages and tracebacks of parsers quote what they were given.
    _log.error("masking failed, the whole value is redacted: %s", type(error).__name__)
    return REDACTED
