"""How texts of the catalogue are filled, in Chromium."""

from typing import Any

import pytest

from tarsy_browser import Tab
from tarsy_websocket_gateway.page_assets import load_page

pytestmark = pytest.mark.asyncio(loop_scope="session")

ASSETS = f"/assets/{load_page().version}"


async def call(tab: Tab, module: str, name: str, *given: object) -> Any:
    script = "async ([path, name, given]) => (await import(path))[name](...given)"
    return await tab.page.evaluate(script, [f"{ASSETS}/words/{module}", name, list(given)])


LETTERS = {"one": "{count} letter of {name}", "other": "{count} letters of {name}"}


@pytest.mark.parametrize(
    ("message", "values", "said"),
    [
        ("Choose {title}", {"title": "<b>{title}</b> $& $1"}, "Choose <b>{title}</b> $& $1"),
        ("{count} tokens", {"count": 12345}, "12,345 tokens"),
        ("offset {offset}", {"offset": "12345"}, "offset 12345"),
        (LETTERS, {"count": 1, "name": "shop"}, "1 letter of shop"),
        (LETTERS, {"count": 0, "name": "shop"}, "0 letters of shop"),
        ({"other": "{count}"}, {"count": 1}, "1"),
    ],
)
async def test_a_text_has_its_values_and_the_form_of_its_number(
    tab: Tab, message: object, values: dict[str, object], said: str
) -> None:
    assert await call(tab, "say.js", "say", message, values) == said


async def test_a_place_has_the_form_of_an_order(tab: Tab) -> None:
    message = {"one": "{count}st", "two": "{count}nd", "few": "{count}rd", "other": "{count}th"}
    said = [await call(tab, "say.js", "sayOrdinal", message, {"count": count}) for count in (1, 2, 3, 11, 22, 1004)]

    assert said == ["1st", "2nd", "3rd", "11th", "22nd", "1,004th"]


async def test_a_text_with_elements_comes_in_pieces(tab: Tab) -> None:
    element = {"type": "time"}

    assert await call(tab, "say.js", "sayParts", "since {time}, by {name}.", {"time": element, "name": "me"}) == [
        "since ", element, ", by ", "me", ".",
    ]  # fmt: skip


async def test_money_is_given_to_the_cent(tab: Tab) -> None:
    said = [await call(tab, "formats.js", "money", amount) for amount in (0, 0.004, 0.01, 1234.5)]

    assert said == ["$0.00", "< $0.01", "$0.01", "$1,234.50"]


async def test_nothing_changes_the_catalogue(tab: Tab) -> None:
    script = """async (path) => {
        const { TEXT } = await import(path);
        const inside = (tree) => Object.values(tree).filter((one) => typeof one === "object");
        const groups = (tree) => [tree, ...inside(tree).flatMap(groups)];
        return groups(TEXT).filter((one) => !Object.isFrozen(one));
    }"""

    assert await tab.page.evaluate(script, f"{ASSETS}/words/language.js") == []
