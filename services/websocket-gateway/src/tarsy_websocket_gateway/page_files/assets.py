"""The page's files, as they are served: read once, at the start, so that no path of a request reaches the disk."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from tarsy_websocket_gateway.page_files.comments import empty_comments
from tarsy_websocket_gateway.page_files.encodings import compress_page
from tarsy_websocket_gateway.page_files.modules import list_imported_modules
from tarsy_websocket_gateway.page_files.views import VIEWS

INDEX = "index.html"
FIRST_MODULE = "main.js"
VERSION_PLACE = b"{version}"
BASE_PLACE = b"{base}"
PRELOADS_PLACE = b"{preloads}"
STYLES_PLACE = b"{styles}"
COMMON_STYLES = ("tokens.css", "style.css")
STYLES = "styles/"
OWN_SCRIPT = ".js"
SCRIPTS = (OWN_SCRIPT, ".mjs")
MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
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
    index_type = MEDIA_TYPES[".html"]
    indexes = {
        view: _make_asset(body.replace(BASE_PLACE, base_path.encode()), index_type) for view, body in bodies.items()
    }
    return Page(version, indexes, assets)


@cache
def _load_assets() -> tuple[str, Mapping[str, Asset], Mapping[str, bytes]]:
    """Version, assets, and the bodies of indexes. Compresses all assets: once in a process."""
    found = dict(_read_assets(files("tarsy_websocket_gateway") / "page"))
    index = found.pop(INDEX)
    digest = hashlib.sha256()
    for path, asset in sorted(found.items()):
        digest.update(f"{path}\n{len(asset.body)}\n".encode() + asset.body)
    version = digest.hexdigest()[:16]
    body = index.body.replace(STYLES_PLACE, _style_links(found))
    sources = {path: asset.body.decode() for path, asset in found.items() if path.endswith(SCRIPTS)}
    frame = list_imported_modules(FIRST_MODULE, sources)
    bodies = {}
    for view in set(VIEWS.values()):
        preloads = _preload_links([*frame, view, *list_imported_modules(view, sources)])
        bodies[view] = body.replace(PRELOADS_PLACE, preloads).replace(VERSION_PLACE, version.encode())
    return version, found, bodies


def _style_links(assets: Mapping[str, Asset]) -> bytes:
    """Those of the views, after the tokens and the one of all."""
    paths = [*COMMON_STYLES, *sorted(path for path in assets if path.startswith(STYLES))]
    return "\n".join(f'<link rel="stylesheet" href="{{base}}/assets/{{version}}/{path}">' for path in paths).encode()


def _preload_links(modules: Iterable[str]) -> bytes:
    """A browser asks for all modules of the frame and the view at once, instead of one after the other as it finds
    them. The view shares some with the frame."""
    once = dict.fromkeys(modules)
    return "\n".join(f'<link rel="modulepreload" href="{{base}}/assets/{{version}}/{path}">' for path in once).encode()


def _make_asset(body: bytes, media_type: str) -> Asset:
    return Asset(body, media_type, compress_page(body))


def _read_assets(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, Asset]]:
    for entry in folder.iterdir():
        path = f"{prefix}{entry.name}"
        if entry.is_dir():
            yield from _read_assets(entry, f"{path}/")
            continue
        media_type = MEDIA_TYPES.get(f".{entry.name.rpartition('.')[2]}")
        if media_type is not None:
            yield path, _make_asset(_body(entry), media_type)


def _body(entry: Traversable) -> bytes:
    """A file that others wrote stays as it is."""
    if entry.name.endswith(OWN_SCRIPT):
        return empty_comments(entry.read_text("utf-8")).encode()
    return entry.read_bytes()
