"""The page's addresses over HTTP."""

import gzip
import hashlib
import re
from collections.abc import AsyncIterator
from importlib.resources import files

import cramjam
import httpx2
import pytest
from fastapi import FastAPI

from tarsy_service.http.accepted_encodings import best_encoding
from tarsy_service.http.problem_handlers import install_problem_handlers
from tarsy_websocket_gateway.page_files.assets import load_page
from tarsy_websocket_gateway.page_files.routes import page_routes
from tarsy_websocket_gateway.page_files.views import VIEWS

PAGE = load_page()
OWN_SCRIPTS = [path for path in PAGE.assets if path.endswith(".js") and not path.startswith("bundles/")]


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    app = FastAPI()
    install_problem_handlers(app)
    app.include_router(page_routes(PAGE))
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app), base_url="http://localhost", follow_redirects=True
    ) as client:
        yield client


def asset(path: str) -> str:
    return f"/assets/{PAGE.version}/{path}"


@pytest.mark.parametrize("path", ["/", "/sessions/0e1d", "/sessions/0e1d/record", "/system"])
async def test_each_view_is_sent_with_a_strict_policy(client: httpx2.AsyncClient, path: str) -> None:
    answer = await client.get(path)

    assert answer.status_code == 200
    policy = answer.headers["content-security-policy"].split("; ")
    assert policy[0] == "default-src 'none'"
    assert {"script-src 'self'", "style-src 'self'", "connect-src 'self'"} <= set(policy)
    assert {"frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"} <= set(policy)
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"


async def test_a_preview_of_a_link_names_tarsy_and_nothing_of_the_session(client: httpx2.AsyncClient) -> None:
    session, start = await client.get("/sessions/0e1d"), await client.get("/")

    described = re.findall(r'<meta (?:name|property)="(?:description|og:[a-z_]+)" content="[^"]+">', session.text)
    assert len(described) == 5
    assert "0e1d" not in session.text
    assert described == re.findall(r'<meta (?:name|property)="(?:description|og:[a-z_]+)" content="[^"]+">', start.text)


@pytest.mark.parametrize("path", ["main.js", "style.css", "icon.svg"])
async def test_a_file_that_is_opened_by_itself_may_do_nothing(client: httpx2.AsyncClient, path: str) -> None:
    answer = await client.get(asset(path))

    assert answer.status_code == 200
    assert answer.headers["content-security-policy"] == "default-src 'none'"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/sessions/0e1d", "text/html; charset=utf-8"),
        (asset("main.js"), "text/javascript; charset=utf-8"),
        (asset("views/list.js"), "text/javascript; charset=utf-8"),
        (asset("vendor/markdown-it.mjs"), "text/javascript; charset=utf-8"),
        (asset("style.css"), "text/css; charset=utf-8"),
        (asset("bundles/all.css"), "text/css; charset=utf-8"),
        (asset("bundles/main.js.map"), "application/json"),
        (asset("icon.svg"), "image/svg+xml"),
    ],
)
async def test_each_file_says_what_it_is(client: httpx2.AsyncClient, path: str, media_type: str) -> None:
    assert (await client.get(path)).headers["content-type"] == media_type


async def test_the_index_is_asked_for_again_and_names_assets_that_never_change(client: httpx2.AsyncClient) -> None:
    index = await client.get("/")

    assert index.headers["cache-control"] == "no-cache"
    named = re.findall(r'(?:href|src)="(/assets/[^"]+)"', index.text)
    assert {"icon.svg", "theme.js", "bundles/all.css", "bundles/main.js", "bundles/views/list.js"} == {
        path.removeprefix(f"/assets/{PAGE.version}/") for path in named
    }
    for path in named:
        answer = await client.get(path)
        assert answer.status_code == 200, path
        assert "immutable" in answer.headers["cache-control"]


async def test_every_import_leads_to_a_file_of_the_same_version(client: httpx2.AsyncClient) -> None:
    modules = {path: PAGE.assets[path].body.decode() for path in OWN_SCRIPTS}
    imports = [
        (path, name)
        for path, text in modules.items()
        for name in re.findall(r'(?:^(?:import|export) .* from |await import\()"(.+?)"', text, re.M)
    ]

    assert len(imports) > 20
    for path, name in imports:
        assert name.startswith("."), f"{path} imports {name}"
        found = httpx2.URL(f"http://tarsy.test{asset(path)}").join(name)
        assert (await client.get(found)).status_code == 200, f"{path} imports {name}"


async def test_the_assets_of_another_version_are_not_mixed_in(client: httpx2.AsyncClient) -> None:
    answer = await client.get("/assets/0123456789abcdef/main.js")

    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "path",
    [
        "nothing.js",
        "",
        "index.html",
        "vendor/README.md",
        "../app.py",
        "..%2fapp.py",
        "views/../../app.py",
        "%2e%2e/%2e%2e/settings.py",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "main.js%00.txt",
    ],
)
async def test_what_is_no_asset_is_not_found(client: httpx2.AsyncClient, path: str) -> None:
    assert (await client.get(asset(path))).status_code == 404


@pytest.mark.parametrize("path", ["/", "/sessions/0e1d", asset("main.js")])
async def test_head_has_the_headers_alone(client: httpx2.AsyncClient, path: str) -> None:
    plain = {"Accept-Encoding": "identity"}
    head, whole = await client.head(path, headers=plain), await client.get(path, headers=plain)

    assert head.status_code == 200
    assert head.headers == whole.headers
    assert int(head.headers["content-length"]) == len(whole.content)


@pytest.mark.parametrize("path", ["/sessions/a%20b", "/sessions/a<b", f"/sessions/{'a' * 201}"])
async def test_what_can_be_no_session_has_no_page(client: httpx2.AsyncClient, path: str) -> None:
    assert (await client.get(path)).status_code == 400


async def test_nothing_but_reading_is_allowed(client: httpx2.AsyncClient) -> None:
    assert (await client.post("/")).status_code == 405


def test_no_module_makes_html_of_text() -> None:
    """Trusted Types forbid it in browsers that know them; this holds for all."""
    forbidden = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc|eval\(|new Function"
    )
    own = {path: PAGE.assets[path].body.decode() for path in OWN_SCRIPTS}

    assert {path: forbidden.findall(text) for path, text in own.items() if forbidden.search(text)} == {}


def test_the_index_has_no_script_or_style_of_its_own() -> None:
    index = "".join(one.body.decode() for one in PAGE.indexes.values())

    assert re.findall(r"<style|style=|\son\w+=|<script(?![^>]* src=)", index) == []
    assert re.findall(r"https?://", index) == []


VENDORED = {path: asset for path, asset in PAGE.assets.items() if path.startswith("vendor/")}


@pytest.mark.parametrize("path", sorted(path for path in VENDORED if path.endswith(".mjs")))
def test_what_others_wrote_is_what_its_readme_says(path: str) -> None:
    readme = (files("tarsy_websocket_gateway") / "page" / "vendor" / "README.md").read_text("utf-8")

    assert hashlib.sha256(VENDORED[path].body).hexdigest() in readme


def test_what_others_wrote_comes_with_its_licence() -> None:
    licences = {path.removeprefix("vendor/") for path in VENDORED if path.endswith(".LICENSE.txt")}

    assert licences == {f"{name}.LICENSE.txt" for name in ("markdown-it", "preact", "signals", "htm")}


@pytest.mark.parametrize("view", sorted({*VIEWS.values()}))
def test_the_index_preloads_the_frame_and_the_view_of_its_address(view: str) -> None:
    preloaded = re.findall(rf'modulepreload" href="/assets/{PAGE.version}/([^"]+)"', PAGE.indexes[view].body.decode())

    assert preloaded == ["bundles/main.js", f"bundles/{view}"]


def test_the_views_that_are_preloaded_are_those_that_the_page_shows() -> None:
    routes = PAGE.assets["routes.js"].body.decode()

    assert set(re.findall(r'import\("\./([^"]+)"\)', routes)) == set(VIEWS.values())


@pytest.mark.parametrize(("view", "kilobytes"), [("views/list.js", 75), ("views/session.js", 150)])
def test_a_first_visit_is_small(view: str, kilobytes: int) -> None:
    named = re.findall(rf'(?:href|src)="/assets/{PAGE.version}/([^"]+)"', PAGE.indexes[view].body.decode())

    sent = [PAGE.indexes[view], *(PAGE.assets[path] for path in {*named})]
    assert len(sent) == 6
    assert sum(len(asset.encoded.get("br", asset.body)) for asset in sent) < kilobytes * 1000


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip", "gzip"),
        ("br;q=0, gzip;q=0.5", "gzip"),
        ("*", "br"),
        ("gzip;q=0, *;q=0.1", "br"),
        ("identity", None),
        ("", None),
        ("gzip;q=much", None),
    ],
)
def test_the_best_encoding_is_one_that_the_browser_takes(accepted: str, encoding: str | None) -> None:
    assert best_encoding(accepted, {"br": b"", "gzip": b""}) == encoding


DECODERS = {"br": lambda body: bytes(cramjam.brotli.decompress(body)), "gzip": gzip.decompress}


@pytest.mark.parametrize("encoding", list(DECODERS))
@pytest.mark.parametrize(
    "path", ["/", asset("bundles/main.js"), asset("bundles/views/session.js"), asset("bundles/all.css")]
)
async def test_a_file_is_sent_compressed_and_is_the_same(client: httpx2.AsyncClient, path: str, encoding: str) -> None:
    plain = await client.get(path, headers={"Accept-Encoding": "identity"})
    async with client.stream("GET", path, headers={"Accept-Encoding": encoding}) as packed:
        body = b"".join([part async for part in packed.aiter_raw()])

    assert "content-encoding" not in plain.headers
    assert packed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
    assert packed.headers["content-encoding"] == encoding
    assert int(packed.headers["content-length"]) == len(body) < len(plain.content)
    assert DECODERS[encoding](body) == plain.content
