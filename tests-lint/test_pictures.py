"""The pictures of the page: every route has some, and their page shows all that the table names."""

import re

from tarsy_testing.browser.pictures import VIEWS, page_of_pictures, pictures, unfinished_words
from tarsy_testing.system.system import ROOT

ROUTES = ROOT / "services/websocket-gateway/src/tarsy_websocket_gateway/page/routes.js"
ENGLISH = ROOT / "services/websocket-gateway/src/tarsy_websocket_gateway/page/words/en.js"
SHOWN = ROOT / "docs/pictures"
PATTERN = re.compile(r"pattern: (?:/(.+?)/,|new RegExp\(`(.+?)`\))")
SESSION_ID = "[A-Za-z0-9._-]+"


def routes() -> list[str]:
    """Patterns of paths, as Python reads them."""
    found = [literal or made for literal, made in PATTERN.findall(ROUTES.read_text("utf-8"))]
    return [one.replace(r"\/", "/").replace("${SESSION_ID}", SESSION_ID) for one in found]


def test_every_route_of_the_page_has_a_picture() -> None:
    paths = [re.sub(r"\{\w+\}", "s1", view.address).partition("?")[0] for view in VIEWS]
    assert len(routes()) >= 5
    assert [route for route in routes() if not any(re.search(route, path) for path in paths)] == []


def test_their_page_shows_all_that_the_table_names() -> None:
    assert (SHOWN / "README.md").read_text("utf-8") == page_of_pictures()
    named = {one.file for view in VIEWS for one in pictures(view.moment)}
    taken = {file.name for file in SHOWN.glob("*.png")}
    assert named - taken == set()
    assert {name for name in taken - named if not name.startswith("prometheus-")} == set()


def test_no_picture_shows_a_page_that_is_not_finished() -> None:
    words = ENGLISH.read_text("utf-8")
    said = re.findall(r'"((?:Loading|Connecting|Connection lost)[^"]*)"', words)
    assert len(said) >= 3
    assert [text for text in said if not unfinished_words(f"Sessions\n{text}\nLive")] == []
    assert unfinished_words("The pod says: Connection to the database lost while it was loading.") == []
