"""The page's files, as they are served: read once, at the start, so that no path of a request reaches the disk."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from tarsy_websocket_gateway.page_files.bundles import FIRST_MODULE, FOLDER, MAP_ENDING, make_bundles
from tarsy_websocket_gateway.page_files.comments import empty_comments
from tarsy_websocket_gateway.page_files.encodings import compress_page
from tarsy_websocket_gateway.page_files.views import VIEWS

INDEX = "index.html"
VERSION_PLACE = b"{version}"
BASE_PLACE = b"{base}"
PRELOADS_PLACE = b"{preloads}"
FIRST_SCRIPT = "theme.js"
"""It is no module, and runs before anything is painted."""
OWN_SCRIPT = ".js"
PARTS = (OWN_SCRIPT, ".mjs", ".css")
"""Files that are served in bundles."""
MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".map": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
"""Files of other types are not served."""


@dataclass(frozen=True, slots=True)
class Asset:
    """`encoded`: the body in each encoding that makes it smaller."""

    body: bytes
    media_type: str
    encoded: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Page:
    """`version` is a digest of all assets: the indexes name them by it, so that two versions never mix in a browser.
    `indexes`: one for each view, by the path of its module."""

    version: str
    indexes: Mapping[str, Asset]
    assets: Mapping[str, Asset]


def load_page(base_path: str = "") -> Page:
    """`base_path`: as `read_base_path` returns it."""
    version, assets, bodies = _load_assets()
    indexes = {view: _visited(INDEX, body.replace(BASE_PLACE, base_path.encode())) for view, body in bodies.items()}
    return Page(version, indexes, assets)


@cache
def _load_assets() -> tuple[str, Mapping[str, Asset], Mapping[str, bytes]]:
    """Version, assets, and the bodies of indexes. Compresses what visitors get: once in a process."""
    found = dict(_read_files(files("tarsy_websocket_gateway") / "page"))
    index = found.pop(INDEX)
    parts = {path: body.decode() for path, body in found.items() if path.endswith(PARTS)}
    found.update((path, text.encode()) for path, text in make_bundles(parts).items())
    digest = hashlib.sha256()
    for path, body in sorted(found.items()):
        digest.update(f"{path}\n{len(body)}\n".encode() + body)
    version = digest.hexdigest()[:16]
    assets = {path: _visited(path, body) if _is_visited(path) else _plain(path, body) for path, body in found.items()}
    index = index.replace(VERSION_PLACE, version.encode())
    preloads = {view: _preload_links(version, FIRST_MODULE, view) for view in VIEWS.values()}
    return version, assets, {view: index.replace(PRELOADS_PLACE, links) for view, links in preloads.items()}


def _preload_links(version: str, *modules: str) -> bytes:
    """A browser asks for frame and view at once, instead of for the view when the frame wants it."""
    paths = (f"{{base}}/assets/{version}/{FOLDER}{module}" for module in modules)
    return "\n".join(f'<link rel="modulepreload" href="{path}">' for path in paths).encode()


def _is_visited(path: str) -> bool:
    """Whether browsers ask for it by themselves. Developer tools ask for the parts of bundles, and for maps."""
    return path == FIRST_SCRIPT or not path.endswith(PARTS if not path.startswith(FOLDER) else MAP_ENDING)


def _visited(path: str, body: bytes) -> Asset:
    return Asset(body, _media_type(path), compress_page(body))


def _plain(path: str, body: bytes) -> Asset:
    return Asset(body, _media_type(path))


def _media_type(path: str) -> str:
    return MEDIA_TYPES[_ending(path)]


def _ending(path: str) -> str:
    return f".{path.rpartition('.')[2]}"


def _read_files(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        path = f"{prefix}{entry.name}"
        if entry.is_dir():
            yield from _read_files(entry, f"{path}/")
        elif _ending(path) in MEDIA_TYPES:
            yield path, _body(entry)


def _body(entry: Traversable) -> bytes:
    """A file that others wrote stays as it is."""
    if entry.name.endswith(OWN_SCRIPT):
        return empty_comments(entry.read_text("utf-8")).encode()
    return entry.read_bytes()
