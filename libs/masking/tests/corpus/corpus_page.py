"""The measured part of docs/reference/masking.md. `python libs/masking/tests/corpus/corpus_page.py` writes it anew."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from class_recall import class_rows
from corpus_filling import FOLDER, Half, documents
from corpus_measures import Measured, Share, measured, together

from tarsy_masking.masker import Masker

PAGE = Path(__file__).parents[4] / "docs" / "reference" / "masking.md"
BEGIN, END = "<!-- measured -->", "<!-- end of what is measured -->"
CLASSES_BEGIN, CLASSES_END = "<!-- classes -->", "<!-- end of classes -->"
HALVES: tuple[Half, ...] = ("open", "held_out")
AROUND = 60
_SLOT = re.compile(r'«[!=?][a-z0-9-]+:"?([^»#"]*)"?(?:#\w+)?»')
_HALF_A_SLOT = re.compile(r"«[^»]*$|^[^«]*»")


@cache
def of_half(half: Half) -> Measured:
    return measured(Masker.default().mask, documents(half))


def renewed(page: str) -> str:
    page = _between(page, CLASSES_BEGIN, CLASSES_END, ["", *class_rows(), ""])
    return _between(page, BEGIN, END, _lines())


def _between(page: str, begin: str, end: str, lines: Iterable[str]) -> str:
    before, rest = page.split(begin, 1)
    after = rest.split(end, 1)[1]
    return "\n".join([before + begin, *lines, end + after])


def _lines() -> Iterator[str]:
    found = [of_half(half) for half in HALVES]
    yield from ("", "| | `open` | `held_out`, open too since 2026-11-22 |", "| --- | --- | --- |")
    yield _row("secrets found", [together(each.secrets.values()) for each in found])
    yield _row("look-alikes left alone", [together(each.lookalikes.values()) for each in found])
    yield _row("lines without a secret left alone", [each.lines for each in found])
    yield from ("", "Secrets that are found, by kind:", "")
    yield from _kinds([each.secrets for each in found])
    yield from ("", "Look-alikes that are left alone, by kind:", "")
    yield from _kinds([each.lookalikes for each in found])
    yield from ("", "### Known misses", "", "Every planted secret of which something is left:", "")
    yield from ("| kind | template and line | what stands there |", "| --- | --- | --- |")
    yield from _misses()
    yield ""


def _kinds(halves: list[dict[str, Share]]) -> Iterator[str]:
    yield from ("| kind | `open` | `held_out` |", "| --- | --- | --- |")
    for kind in sorted({kind for half in halves for kind in half}):
        yield _row(f"`{kind}`", [half.get(kind, Share()) for half in halves])


def _row(name: str, shares: list[Share]) -> str:
    return f"| {name} | {' | '.join(_told(share) for share in shares)} |"


def _told(share: Share) -> str:
    return f"{share.part:.1%} ({share.right} of {share.of})" if share.of else "none planted"


def _misses() -> Iterator[str]:
    seeds: dict[tuple[str, str, int, Half, str], set[int]] = {}
    for half in HALVES:
        for miss in of_half(half).survived:
            value = miss.value
            place = (value.kind, miss.document.name, value.line, half, value.shape)
            seeds.setdefault(place, set()).add(miss.document.seed)
    all_seeds = max(map(len, seeds.values()), default=0)
    for (kind, name, line, half, shape), of in sorted(seeds.items()):
        some = "" if len(of) == all_seeds else " (some values)"
        yield f"| `{kind}` | `{half}/{name}:{line}` | {_shown(half, name, line, f'{kind}:{shape}')}{some} |"


def _shown(half: Half, name: str, line: int, slot: str) -> str:
    template = (FOLDER / half / f"{name}.txt").read_text(encoding="utf-8").splitlines()[line - 1]
    at = template.index(f"«!{slot}")
    end = template.index("»", at) + 1
    part = template[max(0, at - AROUND) : end + AROUND // 2]
    return f"`{_tidy(_SLOT.sub(_named, _HALF_A_SLOT.sub('…', part)))}`"


def _named(slot: re.Match[str]) -> str:
    return f"‹{slot[1]}›"


def _tidy(text: str) -> str:
    return " ".join(text.replace("|", "\\|").replace("`", "'").split())


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
