"""Sensitive keys: the value beside one is a secret, whatever it looks like."""

from functools import lru_cache

from tarsy_masking.json_value import JsonObject, JsonValue
from tarsy_masking.patterns import PatternFile, compile_regex
from tarsy_masking.placeholders import Placeholder

_PAIRS = (
    *((name, "value") for name in ("name", "key", "option", "variable", "field", "attribute", "setting", "parameter")),
    *((name, "Value") for name in ("Name", "Key")),
    ("ParameterKey", "ParameterValue"),
)
"""Members of objects of which one has a name and the other its value."""


_KNOWN_NAMES, _LONGEST_KNOWN = 4_096, 100
"""The same few names come again and again. Longer ones are not kept: they may be anything."""


class SensitiveKeys:
    def __init__(self, source: PatternFile) -> None:
        self._any = compile_regex(f"(?is).*{source.any_name}", capture=False)
        self._families = [(family, compile_regex(f"(?is).*{names}")) for family, names in source.families.items()]
        self._harmless = compile_regex(source.harmless_names)
        self._never_secret = compile_regex(source.never_secret)
        self._known_label = lru_cache(_KNOWN_NAMES)(self._label_of)

    def label(self, name: str) -> bytes | None:
        return self._known_label(name) if len(name) <= _LONGEST_KNOWN else self._label_of(name)

    def _label_of(self, name: str) -> bytes | None:
        encoded = name.encode(errors="replace")
        if not self._any.fullmatch(encoded) or self._harmless.search(encoded):
            return None
        for family, regex in self._families:
            if regex.fullmatch(encoded):
                return f"[MASKED_{family}]".encode()
        return None

    def hide(self, value: JsonValue, label: bytes, placeholder: Placeholder) -> JsonValue:
        """Objects stay: `secret: {secretName: db}` names a Secret. Their members are judged by their own names."""
        if isinstance(value, list):
            return [self.hide(item, label, placeholder) for item in value]
        if isinstance(value, bool | dict) or value is None or value == "":
            return value
        secret = str(value).encode(errors="replace")
        return value if self._never_secret.fullmatch(secret) else placeholder(label, secret).decode()

    def hide_values_of_sensitive_keys(self, body: JsonObject, placeholder: Placeholder) -> JsonObject:
        """Hides values by their keys, and of a pair such as {"name": "DB_PASSWORD", "value": "x"} the value."""
        hidden = {
            key: value if (label := self.label(key)) is None else self.hide(value, label, placeholder)
            for key, value in body.items()
        }
        for name_key, value_key in _PAIRS:
            name = body.get(name_key)
            if value_key in body and isinstance(name, str) and (label := self.label(name)) is not None:
                hidden[value_key] = self.hide(body[value_key], label, placeholder)
        return hidden
