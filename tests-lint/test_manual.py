"""The manual: its links lead somewhere, its pages can be reached from the index, its pictures are small and shown."""

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
INDEX = ROOT / "docs/README.md"
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *(ROOT / name for name in ("schemas/README.md", "benchmarks/README.md")),
    ]
)
PICTURES = sorted(ROOT.glob("docs/pictures/*.png"))
LINK = re.compile(r"\]\(([^()\s]+)\)|<img src=\"([^\"]+)\"")
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`[^`]*`")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
OTHER_MARKS = re.compile(r"[^\w\- ]")
MOST_BYTES = 150_000
MOST_BYTES_IN_ALL = 6_000_000


@cache
def anchors(page: Path) -> set[str]:
    """The headings as a link names them; of several that are alike, the first."""
    headings = HEADING.findall(FENCED.sub("", page.read_text("utf-8")))
    texts = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    return {OTHER_MARKS.sub("", text.lower()).replace(" ", "-") for text in texts}


@cache
def links(page: Path) -> list[tuple[Path, str]]:
    """The file and the anchor of each link that stays in the repository."""
    text = CODE.sub("", FENCED.sub("", page.read_text("utf-8")))
    return list(_inside(page, [one or other for one, other in LINK.findall(text)]))


def _inside(page: Path, targets: list[str]) -> Iterator[tuple[Path, str]]:
    for target in targets:
        if not re.match(r"[a-z]+:", target):
            file, _, anchor = target.partition("#")
            yield ((page.parent / file).resolve() if file else page), anchor


def broken(page: Path) -> Iterator[str]:
    for file, anchor in links(page):
        name = os.path.relpath(file, ROOT)
        if not file.exists():
            yield name
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            yield f"{name}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    assert list(broken(page)) == []


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    texts = ["# Here", "[a](#here) [b](#there) [c](https://example.com) `[d](none.md)`", '<img src="none.png">']
    page.write_text("\n\n".join([*texts, "[e](none.md#x)"]), "utf-8")
    assert [name.rpartition("/")[2] for name in broken(page)] == ["page.md#there", "none.png", "none.md"]


def test_every_page_can_be_reached_from_the_index() -> None:
    found, todo = {INDEX}, [INDEX]
    while todo:
        new = {file for file, _ in links(todo.pop()) if file.suffix == ".md" and file.exists()} - found
        found |= new
        todo += new
    assert [str(page.relative_to(ROOT)) for page in PAGES if page not in found] == []


def test_pictures_are_small_and_each_is_shown() -> None:
    shown = {file for page in PAGES for file, _ in links(page)}
    sizes = [picture.stat().st_size for picture in PICTURES]
    assert len(PICTURES) >= 8
    assert (max(sizes) <= MOST_BYTES, sum(sizes) <= MOST_BYTES_IN_ALL) == (True, True)
    assert [picture.name for picture in PICTURES if picture not in shown] == []
