"""How texts of the catalogue are filled."""

from typing import Any

import pytest

from page_logic.node_process import PAGE, Node


def call(node: Node, module: str, name: str, *given: object) -> Any:
    script = "async ([path, name, given]) => (await import(path))[name](...given)"
    return node.evaluate(script, [f"{PAGE}/words/{module}", name, list(given)])


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
def test_a_text_has_its_values_and_the_form_of_its_number(
    node: Node, message: object, values: dict[str, object], said: str
) -> None:
    assert call(node, "say.js", "say", message, values) == said


def test_a_place_has_the_form_of_an_order(node: Node) -> None:
    message = {"one": "{count}st", "two": "{count}nd", "few": "{count}rd", "other": "{count}th"}
    said = [call(node, "say.js", "sayOrdinal", message, {"count": count}) for count in (1, 2, 3, 11, 22, 1004)]

    assert said == ["1st", "2nd", "3rd", "11th", "22nd", "1,004th"]


def test_a_text_with_elements_comes_in_pieces(node: Node) -> None:
    element = {"type": "time"}

    assert call(node, "say.js", "sayParts", "since {time}, by {name}.", {"time": element, "name": "me"}) == [
        "since ", element, ", by ", "me", ".",
    ]  # fmt: skip


def test_money_is_given_to_the_cent(node: Node) -> None:
    said = [call(node, "formats.js", "money", amount) for amount in (0, 0.004, 0.01, 1234.5)]

    assert said == ["$0.00", "< $0.01", "$0.01", "$1,234.50"]


def test_nothing_changes_the_catalogue(node: Node) -> None:
    script = """async (path) => {
        const { TEXT } = await import(path);
        const inside = (tree) => Object.values(tree).filter((one) => typeof one === "object");
        const groups = (tree) => [tree, ...inside(tree).flatMap(groups)];
        return groups(TEXT).filter((one) => !Object.isFrozen(one));
    }"""

    assert node.evaluate(script, f"{PAGE}/words/language.js") == []
