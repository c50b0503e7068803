"""Secrets in regions of several lines: what finds them, and whether one is open at the end of a text."""

from collections.abc import Callable, Sequence
from functools import cache, partial

from tarsy_masking.edits import Edit
from tarsy_masking.patterns import PatternFile, read_patterns
from tarsy_masking.regions.block_scalars import BlockScalars
from tarsy_masking.regions.key_lines import key_lines
from tarsy_masking.regions.password_lists import PasswordLists
from tarsy_masking.regions.region import Regions
from tarsy_masking.regions.tables import Tables


class MultiLineSecrets:
    def __init__(self, source: PatternFile) -> None:
        self._tables = Tables(source)
        scans: tuple[Callable[[bytes], Regions], ...] = (
            PasswordLists(source),
            BlockScalars(source),
            self._tables,
        )
        self._scans = (*scans, key_lines)
        self.first: Sequence[Callable[[bytes], Sequence[Edit]]] = [partial(_edits_of_scan, scan) for scan in scans]
        """Look before the patterns that see the whole text."""
        self.last: Sequence[Callable[[bytes], Sequence[Edit]]] = [partial(_edits_of_scan, key_lines)]
        """Look for what those have left."""

    def open_since(self, text: bytes) -> int | None:
        positions = [scan(text).open_since for scan in self._scans] + [self._tables.open_since(text)]
        return min((position for position in positions if position is not None), default=None)


@cache
def default_multi_line_secrets() -> MultiLineSecrets:
    return MultiLineSecrets(read_patterns())


def _edits_of_scan(scan: Callable[[bytes], Regions], text: bytes) -> Sequence[Edit]:
    return scan(text).edits
