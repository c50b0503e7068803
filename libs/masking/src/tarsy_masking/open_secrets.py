"""Open secrets: whether a secret that has begun in a text may go on after its end, by every rule of a masker."""

from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from itertools import batched
from typing import Any, Literal, Protocol

from tarsy_masking.patterns import Pattern, compile_regex, read_patterns
from tarsy_masking.regexes.beginnings import find_beginnings, find_secret_beginnings, forget_beginnings
from tarsy_masking.regions.multi_line_secrets import default_multi_line_secrets
from tarsy_masking.scanning.folding import ends_in_escape, fold

# Many patterns in one regex have so many states that RE2 rebuilds them repeatedly. They also take longer to compile
# than the same ones in two regexes.
_TOGETHER = 13
_TOGETHER_BY_NAME = 9
_TOGETHER_ACROSS_LINES = 6
_MEMORY = 64 << 20
# In YAML a key at the beginning of a line, also of one inside a string; in JSON one in quotes.
_DATA_KEY = r"""(?m)(?:^|\\[nr]|["'])[ \t+-]*["']?(?:data|stringData)\\*["']?\s*:"""
_KIND = r"""\bkind\\*["']?\s*:\s*(?:\\*["']?Secret|\z)"""


class _BeginningsOf(Protocol):
    """From regexes to one that finds the beginnings of what they find."""

    def __call__(self, *regexes: str) -> str: ...


class OpenSecrets:
    """The regexes are compiled when they are used first. Texts are UTF-8.

    Nothing is known of the form of custom patterns: with one of them every text is open from its beginning.
    """

    def __init__(self, patterns: Sequence[Pattern], *, custom_patterns: int) -> None:
        self._patterns = patterns
        self._custom_patterns = custom_patterns

    def prepare(self) -> None:
        """Compiles all regexes, in steps of less than a tenth of a second."""
        for ask in (self.may_go_on, self.open_since, self.data_since, self.names_a_secret):
            ask(b"")
        forget_beginnings()

    def may_go_on(self, text: bytes) -> bool:
        """Whether some continuation makes a secret of what stands before the end. `data_since` is another question."""
        if self._custom_patterns > 0 or ends_in_escape(text):
            return True
        folded = fold(text)
        plain = text if folded is None else folded.text
        return (
            self._regexes_of_begun_secrets.occurs_in(plain)
            or default_multi_line_secrets().open_since(plain) is not None
        )

    def open_since(self, text: bytes) -> int:
        """The earliest begin of a match that may continue after the end; the length of the text if there is none."""
        if self._custom_patterns > 0:
            return 0
        folded = fold(text)
        if folded is None:
            return self._find_open_since(text)
        position = self._find_open_since(folded.text)
        return len(text) if position == len(folded.text) else folded.start(position)

    def data_since(self, text: bytes) -> int | None:
        """Where the value begins of a key that Kubernetes Secrets have their data under. The kind may come later."""
        folded = fold(text)
        match = self._data_key_regex.search(text if folded is None else folded.text)
        if match is None:
            return None
        return int(match.end()) if folded is None else folded.stop(match.end())

    def names_a_secret(self, text: bytes) -> bool:
        """Whether it has the kind of a Kubernetes Secret, or ends where one may follow."""
        folded = fold(text)
        return self._kind_regex.search(text if folded is None else folded.text) is not None

    def _find_open_since(self, text: bytes) -> int:
        since = default_multi_line_secrets().open_since(text)
        first = self._regexes_of_begun_matches.first_in(text)
        return first if since is None else min(first, since)

    @cached_property
    def _regexes_of_begun_secrets(self) -> "_AtEnd":
        return _AtEnd(self._patterns, find_secret_beginnings)

    @cached_property
    def _regexes_of_begun_matches(self) -> "_AtEnd":
        return _AtEnd(self._patterns, find_beginnings)

    @cached_property
    def _data_key_regex(self) -> Any:
        return compile_regex(_DATA_KEY)

    @cached_property
    def _kind_regex(self) -> Any:
        return compile_regex(_KIND)


@cache
def default_open_secrets() -> OpenSecrets:
    """Those of the default patterns, compiled once for all maskers of the process."""
    return OpenSecrets(read_patterns().patterns, custom_patterns=0)


class _AtEnd:
    """Beginnings of the patterns' matches at the end of a text."""

    def __init__(self, patterns: Sequence[Pattern], beginnings_of: _BeginningsOf) -> None:
        self._in_lines = list(_open_regexes(patterns, "line", beginnings_of))
        self._across_lines = list(_open_regexes(patterns, "text", beginnings_of))

    def occurs_in(self, text: bytes) -> bool:
        line = text[_start_of_last_line(text) :]
        return any(regex.search(line) is not None for regex in self._in_lines) or any(
            regex.search(text) is not None for regex in self._across_lines
        )

    def first_in(self, text: bytes) -> int:
        begin = _start_of_last_line(text)
        line = text[begin:]
        found = [begin + match.start() for regex in self._in_lines if (match := regex.search(line)) is not None]
        found += [match.start() for regex in self._across_lines if (match := regex.search(text)) is not None]
        return min(found, default=len(text))


def _start_of_last_line(text: bytes) -> int:
    return text.rfind(b"\n") + 1


def _open_regexes(
    patterns: Sequence[Pattern], span: Literal["line", "text"], beginnings_of: _BeginningsOf
) -> Iterator[Any]:
    chosen = [pattern for pattern in patterns if pattern.span == span]
    forms = [pattern for pattern in chosen if not pattern.by_name]
    by_name = [pattern for pattern in chosen if pattern.by_name]
    together = _TOGETHER if span == "line" else _TOGETHER_ACROSS_LINES
    for group in (
        *batched(forms, together, strict=False),
        *batched(by_name, _TOGETHER_BY_NAME, strict=False),
    ):
        regexes = [regex for pattern in group for regex in pattern.of_all_families]
        one = rf"(?:{beginnings_of(*regexes)})\z"
        yield compile_regex(one, capture=False, within_line=span == "line", memory=_MEMORY)
