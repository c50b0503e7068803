"""A hook of mkdocs: what pages link to outside docs/ comes along, below `repository/`, so that the site works offline.

The pages keep the links that a git forge follows. Pages that the navigation does not name are added by their folder.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = "docs/"
ELSEWHERE = "repository/"
FOLDERS = {
    "how-to": ("Use", ""),
    "operations": ("Operate", "When an alert fires"),
    "reference": ("Reference", ""),
    "decisions": ("Inside", "Decisions"),
}
"""By folder of docs/: the part of the navigation, and the section, of pages that it does not name."""
SHIM = "assets/iframe-worker.js"
LINK = re.compile(r"(\]\(|<img src=\")(?![a-z]+:|#)([^()\s\"#]+)(#[^()\s\"]*)?(?=[)\"])")
FENCED = re.compile(r"(^```.*?^```|`[^`\n]+`)", re.DOTALL | re.MULTILINE)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Adds the pages that the navigation does not name: all of a folder to one part."""
    nav: list[dict[str, Any]] = [part for part in config.nav or [] if isinstance(part, dict)]
    named = set(_paths(nav))
    for folder, (part, title) in FOLDERS.items():
        found = sorted(
            path.relative_to(config.docs_dir).as_posix() for path in Path(config.docs_dir, folder).glob("*.md")
        )
        rest = [path for path in found if path not in named]
        pages: list[Any] = next(one[part] for one in nav if part in one)
        pages.extend([{title: rest}] if title and rest else rest)
    return config


def _paths(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    for inner in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from _paths(inner)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    files.append(File.generated(config, SHIM, abs_src_path=str(Path(__file__).with_name("iframe-worker.js"))))
    todo = [path for file in files.documentation_pages() if (path := ROOT / DOCS / file.src_uri).is_file()]
    while todo:
        page = todo.pop()
        for target in _targets(page):
            uri = _uri(target)
            if uri.startswith(ELSEWHERE) and target.is_file() and files.get_file_from_path(uri) is None:
                files.append(_file(target, uri, config))
                todo += [target] if target.suffix == ".md" else []
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    uri = page.file.src_uri
    return _with_links_of_the_site(
        markdown, ROOT / (uri.removeprefix(ELSEWHERE) if uri.startswith(ELSEWHERE) else DOCS + uri)
    )


def _file(target: Path, uri: str, config: MkDocsConfig) -> File:
    return File.generated(config, uri, abs_src_path=str(target))


def _parts(markdown: str) -> Iterator[tuple[str, bool]]:
    """Its parts in order, each with whether it is prose: links of code are no links."""
    for number, part in enumerate(FENCED.split(markdown)):
        yield part, number % 2 == 0


def _targets(page: Path) -> Iterator[Path]:
    for part, is_prose in _parts(page.read_text("utf-8")):
        for found in LINK.finditer(part) if is_prose else ():
            yield _target(page, found)


def _target(page: Path, link: re.Match[str]) -> Path:
    return Path(os.path.normpath(page.parent / link[2]))


def _uri(target: Path) -> str:
    """Where a file of the repository stands in the site."""
    path = target.relative_to(ROOT).as_posix()
    return path.removeprefix(DOCS) if path.startswith(DOCS) else ELSEWHERE + path


def _with_links_of_the_site(markdown: str, page: Path) -> str:
    def link(found: re.Match[str]) -> str:
        target = _target(page, found)
        if target.is_dir():
            return f"{found[1]}#"
        here = os.path.dirname(_uri(page))
        return f"{found[1]}{os.path.relpath(_uri(target), here or '.')}{found[3] or ''}"

    return "".join(LINK.sub(link, part) if is_prose else part for part, is_prose in _parts(markdown))
