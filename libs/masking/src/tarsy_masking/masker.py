"""Masker of text and JSON: it replaces secrets before either is written anywhere."""

import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Self

from tarsy_masking.custom_patterns import compile_custom
from tarsy_masking.edits import (
    AppliedEdit,
    Edit,
    EditHistory,
    apply_labels,
    extract_changed_lines,
    rewrite,
    surroundings,
)
from tarsy_masking.errors import MaskingError
from tarsy_masking.findings import Finding, findings_in
from tarsy_masking.harmless_strings import harmless_strings
from tarsy_masking.json_strings import JsonText
from tarsy_masking.json_value import JsonValue
from tarsy_masking.known_harmless import KnownHarmless
from tarsy_masking.kubernetes.json_secrets import json_secrets
from tarsy_masking.kubernetes.secret_objects import LABEL, holds_secrets, lists_secrets, without_data
from tarsy_masking.kubernetes.yaml_secrets import yaml_secrets
from tarsy_masking.open_secrets import OpenSecrets, default_open_secrets
from tarsy_masking.patterns import Pattern, PatternFile, read_patterns
from tarsy_masking.placeholders import KeyedPlaceholder, Placeholder, plain
from tarsy_masking.regions.multi_line_secrets import default_multi_line_secrets
from tarsy_masking.rules import CustomPattern, InvalidPatternsError, PatternProblem
from tarsy_masking.scanning.folding import FoldedText, fold
from tarsy_masking.scanning.overlaps import MOST_FINDINGS
from tarsy_masking.scanning.scanner import Scan
from tarsy_masking.sensitive_keys import SensitiveKeys
from tarsy_masking.streaming import MaskedStream

REDACTED = "[REDACTED: masking failed]"
_MAX_DEPTH = 64
_LARGE = 128 * 1024
_SCALARS = frozenset({type(None), bool, int, float})
# One round finds everything; a second sees what the first one's replacements have brought together.
_MAX_ROUNDS = 8

_log = logging.getLogger(__name__)

type _Find = Callable[[bytes], Sequence[Edit]]
type _Noted = Callable[[Sequence[AppliedEdit]], None]


class NeverSettlesError(MaskingError):
    """Masking the masked text would change it again and again. The caller redacts the whole text."""


class Masker:
    """Fails closed: what could not be masked is redacted as a whole. Neither `mask` nor `mask_json` raises.

    Masking what was masked changes nothing, whichever session it was masked for."""

    def __init__(
        self,
        source: PatternFile,
        key: bytes | None = None,
        *,
        names: frozenset[str] = frozenset(),
        custom: Sequence[CustomPattern] = (),
        most_findings: int = MOST_FINDINGS,
    ) -> None:
        rules, mistakes = compile_custom(custom)
        unknown = [PatternProblem(name, "no pattern and no group has this name") for name in names - source.known_names]
        if unknown or mistakes:
            raise InvalidPatternsError((*sorted(unknown), *mistakes))
        self._most_findings = most_findings
        self._in_lines = Scan(source, source.patterns, "line", most_findings)
        self._across_lines = Scan(source, source.patterns, "text", most_findings, of_decoded=self._in_lines)
        added = source.select_opt_in(names)
        self._added_across_lines = [*(rule.find for rule in rules), *_scans_across_lines(source, added, most_findings)]
        self._added_in_lines = [Scan(source, added, "line", most_findings)] if added else []
        self._knows_no_forms = bool(rules) or len(self._added_across_lines) > 0
        self._names = SensitiveKeys(source)
        self._open_secrets = OpenSecrets((*source.patterns, *added), custom_patterns=len(rules))
        regions = default_multi_line_secrets()
        self._before_patterns, self._after_patterns = regions.first, regions.last
        self._known = KnownHarmless()
        self._key = key
        self._placeholder: Placeholder = plain

    @classmethod
    def default(cls, key: bytes | None = None, *, most_findings: int = MOST_FINDINGS) -> Self:
        """Compiles all patterns: build one for the process. With a key, `for_session` gives different secrets different
        placeholders. The end of a text
        with more findings is redacted."""
        masker = cls(read_patterns(), key, most_findings=most_findings)
        masker._open_secrets = default_open_secrets()
        return masker

    def with_rules(self, names: Collection[str], custom: Sequence[CustomPattern]) -> Self:
        """The default rules, and those that names and patterns add; a name that the default rules cover adds nothing.
        Compiles all patterns again: build one for each configuration. Raises InvalidPatternsError."""
        other = type(self)(
            read_patterns(), self._key, names=frozenset(names), custom=custom, most_findings=self._most_findings
        )
        other._placeholder = self._placeholder
        return other

    def for_session(self, session_id: str) -> Self:
        """The same rules. All maskers with the same key write the same placeholder for one secret of this session."""
        if self._key is None:
            return self
        # copy() takes ten times as long, and each alert and each call of a tool has maskers of its session.
        session = object.__new__(type(self))
        session.__dict__.update(self.__dict__, _placeholder=KeyedPlaceholder(self._key, session_id))
        return session

    def mask(self, text: str) -> str:
        if text in self._known:
            return text
        try:
            original = _to_bytes(text)
            folded = fold(original)
            if folded is None:
                masked = self._mask_until_settled(original, _note_nothing)
            else:
                masked = rewrite(original, self._edits_of(original, folded).list_applied())
            result = masked.decode(errors="replace")
            if result == text:
                self._known.add(text)
            return result
        # The text may hold a secret, whatever went wrong.
        except Exception as error:  # noqa: BLE001
            return _log_and_redact(error)

    def prepare_streams(self) -> None:
        """Compiles what streams need, for a second at most: the first stream would hold its event loop so long."""
        self._open_secrets.prepare()

    def stream(self) -> MaskedStream:
        """Masks one text that comes in pieces."""
        return MaskedStream(self.mask, self._open_secrets)

    def mask_json(self, value: JsonValue) -> JsonValue:
        """Masks every string, and keys that are secrets themselves. The value of a sensitive key is masked whatever it
        looks like. A name and a value together are masked as they would be in text.
        """
        try:
            masked = self._mask_value(value, self._find_harmless_strings(value), depth=0, inside_list=False)
            return self._mask_as_text(masked)
        except Exception as error:  # noqa: BLE001
            return _log_and_redact(error)

    def findings(self, text: str) -> list[Finding]:
        """The secrets that `mask` would replace, in the order of the text."""
        original = _to_bytes(text)
        try:
            history = self._edits_of(original, fold(original))
        except Exception as error:  # noqa: BLE001
            return [Finding("masking_failed", 1, 1, len(text), _log_and_redact(error))]
        return findings_in(original, history)

    def _edits_of(self, original: bytes, folded: FoldedText | None) -> EditHistory:
        """`folded`: how the text is read, if not as it stands. The edits are of the text as it stands."""
        history = EditHistory()
        self._mask_until_settled(original if folded is None else folded.text, history.add)
        if folded is not None:
            history.move(folded.start, folded.stop)
        return history

    def _mask_until_settled(self, text: bytes, note: _Noted) -> bytes:
        """Rules that were added see only the text that the built-in rules have left. Rules that see one line come to
        rest by themselves: when the others find nothing in the text after them, nothing is to be found."""
        for settled in (False, *[True] * _MAX_ROUNDS):
            before = text
            text = self._mask_with(text, self._finds_across_lines(), note)
            if settled and text == before:
                return text
            first = not settled and len(text) > _LARGE
            text = self._mask_added(self._mask_lines(text, self._in_lines, note), note)
            if text == before or (first and self._is_settled(text)):
                return text
        raise NeverSettlesError

    def _is_settled(self, text: bytes) -> bool:
        """Whether nothing more is to be found in a large text: looks around the placeholders only, as elsewhere
        nothing has changed."""
        around = b"\n".join(text[start:stop] for start, stop in surroundings(text))
        return not any(find(around) for find in self._finds_across_lines())

    def _mask_added(self, text: bytes, note: _Noted) -> bytes:
        before = text
        text = self._mask_with(text, self._added_across_lines, note)
        if text != before:
            text = self._mask_lines(text, self._in_lines, note)
        for scan in self._added_in_lines:
            text = self._mask_lines(text, scan, note)
        return text

    def _mask_with(self, text: bytes, finds: Sequence[_Find], note: _Noted) -> bytes:
        for find in finds:
            if edits := find(text):
                text = self._rewrite_and_note(text, edits, note)[0]
        return text

    def _finds_across_lines(self) -> Sequence[_Find]:
        return (yaml_secrets, json_secrets, *self._before_patterns, self._find_across_lines, *self._after_patterns)

    def _find_across_lines(self, text: bytes) -> list[Edit]:
        return self._across_lines.find(text)

    def _mask_lines(self, text: bytes, scan: Scan, note: _Noted) -> bytes:
        """On the lines that have changed the built-in rules look first, again."""
        edits = scan.find_or_end(text)
        for _ in range(_MAX_ROUNDS):
            if not edits:
                return text
            before = text
            text, made = self._rewrite_and_note(text, edits, note)
            changed = extract_changed_lines(text, made if text != before else ())
            found = self._in_lines.find(changed.text) or ([] if scan is self._in_lines else scan.find(changed.text))
            edits = changed.in_whole(found)
        raise NeverSettlesError

    def _rewrite_and_note(self, text: bytes, edits: Sequence[Edit], note: _Noted) -> tuple[bytes, list[AppliedEdit]]:
        made = apply_labels(edits, self._placeholder)
        note(made)
        return rewrite(text, made), made

    def _mask_as_text(self, value: JsonValue) -> JsonValue:
        if not isinstance(value, dict | list):
            return value
        written = JsonText(value)
        edits = self._edits_of(written.text, fold(written.text)).list_applied()
        return written.apply_edits(edits) if edits else value

    def _find_harmless_strings(self, value: JsonValue) -> dict[str, str]:
        if self._knows_no_forms:
            return {}
        return harmless_strings(value, (self._across_lines, self._in_lines, *self._added_in_lines), self._known)

    def _mask_value(self, value: JsonValue, seen: dict[str, str], *, depth: int, inside_list: bool) -> JsonValue:
        if depth > _MAX_DEPTH:
            return REDACTED
        if isinstance(value, str):
            known = seen.get(value)
            return self.mask(value) if known is None else known
        if isinstance(value, list):
            return [self._mask_value(item, seen, depth=depth + 1, inside_list=inside_list) for item in value]
        if isinstance(value, dict):
            body = value
            if holds_secrets(value, inside_list=inside_list):
                body = without_data(value, partial(self._names.hide, label=LABEL, placeholder=self._placeholder))
            inside = inside_list or lists_secrets(value)
            hidden = self._names.hide_values_of_sensitive_keys(body, self._placeholder)
            names = self._mask_names(hidden, seen)
            return {
                name: self._mask_value(item, seen, depth=depth + 1, inside_list=inside)
                for name, item in zip(names, hidden.values(), strict=True)
            }
        # Callers may hand over what only claims to be JSON.
        return value if type(value) in _SCALARS else REDACTED

    def _mask_names(self, names: Iterable[str], seen: dict[str, str]) -> Iterable[str]:
        """As many as there were: of two that have become the same, the second gets a number."""
        masked: dict[str, None] = {}
        for name in names:
            if name not in seen:
                seen[name] = self.mask(name)
            once, number = seen[name], 2
            again = once
            while again in masked:
                again, number = f"{once} ({number})", number + 1
            masked[again] = None
        return masked


def prepare_default() -> None:
    """Compiles the default rules, for a process that has time before it knows what it is for."""
    Masker.default().prepare_streams()


def _scans_across_lines(source: PatternFile, patterns: Sequence[Pattern], most_findings: int) -> list[_Find]:
    if all(pattern.span == "line" for pattern in patterns):
        return []
    scan = Scan(source, patterns, "text", most_findings)
    return [scan.find]


def _to_bytes(text: str) -> bytes:
    # A lone surrogate is no text that could be written; as a question mark it is, and hides nothing.
    return text.encode(errors="replace")


def _note_nothing(made: Sequence[AppliedEdit]) -> None:
    pass


def _log_and_redact(error: Exception) -> str:
    # Its type only: messages and tracebacks of parsers quote what they were given.
    _log.error("masking failed, the whole value is redacted: %s", type(error).__name__)
    return REDACTED
