"""Names that tell of a secret: the value beside one is a secret, whatever it looks like."""

from tarsy_masking.json_value import JsonObject, JsonValue
from tarsy_masking.patterns import PatternFile, compile_regex


class TellingNames:
    def __init__(self, source: PatternFile) -> None:
        self._families = [(family, compile_regex(f"(?is).*{names}")) for family, names in source.families.items()]
        self._never_secret = compile_regex(source.never_secret)

    def replacement(self, name: str) -> str | None:
        encoded = name.encode(errors="replace")
        for family, regex in self._families:
            if regex.fullmatch(encoded):
                return f"[MASKED_{family}]"
        return None

    def hide(self, value: JsonValue, replacement: str) -> JsonValue:
        """Objects stay: `secret: {secretName: db}` names a Secret. What is in them is told by its own names."""
        if isinstance(value, list):
            return [self.hide(item, replacement) for item in value]
        if isinstance(value, str):
            harmless = value == "" or self._never_secret.fullmatch(value.encode(errors="replace"))
            return value if harmless else replacement
        if isinstance(value, bool | dict) or value is None:
            return value
        return replacement

    def hide_beside(self, body: JsonObject) -> JsonObject:
        """Hides values by their keys, and of a pair such as {"name": "DB_PASSWORD", "value": "x"} the value."""
        hidden = {
            key: value if (replacement := self.replacement(key)) is None else self.hide(value, replacement)
            for key, value in body.items()
        }
        name = body.get("name")
        if "value" in body and isinstance(name, str) and (replacement := self.replacement(name)) is not None:
            hidden["value"] = self.hide(body["value"], replacement)
        return hidden
