"""The page's text is in one catalogue: no module has its own, and each message is used."""

import re
from collections import Counter
from pathlib import Path

import pytest
from page_texts import HOLE, literal_texts, messages

from tarsy_contracts.chain import STAGES_AFTER_THE_END

PAGE = Path(__file__).parents[1] / "src/tarsy_websocket_gateway/page"
CATALOGUE = (PAGE / "words/en.js").read_text("utf-8")
PLURAL_FORMS = ("zero", "one", "two", "few", "many", "other")
CODE = {
    "Enter", "Escape", "Home", "End", "Notification", "textarea, select", "Nothing is followed.",
    ".chat textarea:enabled", ".chat-head button", "timeline ended", "turn running", "Content-Type", "Idempotency-Key",
    "p ul ol li blockquote table thead tbody tr th td strong em s h1 h2 h3 h4 h5 h6", "> …", f"{HOLE}…",
}  # fmt: skip
"""Strings that look like text, and are none: keys of the keyboard, names of the browser, of elements and of headers, a
mistake of ours, the mark of a quotation that was cut."""


def modules(*folders: str) -> dict[str, str]:
    paths = [path for folder in folders for path in sorted(PAGE.glob(folder))]
    return {path.relative_to(PAGE).as_posix(): path.read_text("utf-8") for path in paths}


OWN = modules("*.js", "views/**/*.js", "stores/*.js", "words/*.js", "net/*.js", "state/*.js")
COMMANDS = "words/commands.js"
"""It has commands and configuration, which are the same in each language."""


def texts_of(source: str) -> list[str]:
    return [text for text in literal_texts(source) if text not in CODE]


def key_of(name: str) -> str:
    """The key of a message, of which a plural has several forms."""
    parent, _, last = name.rpartition(".")
    return parent if last in PLURAL_FORMS else name


KEYS = {key_of(name) for name, _ in messages(CATALOGUE)}
TABLES = {key.rpartition(".")[0] for key in KEYS}
USES = [(path, use) for path, source in OWN.items() for use in re.findall(r"(\w+\()?\s*\bTEXT((?:\.\w+)+)", source)]
USED = {use.removeprefix(".") for _, (_, use) in USES}


@pytest.mark.parametrize("path", sorted(OWN.keys() - {"words/en.js", COMMANDS}))
def test_a_module_has_no_text_of_its_own(path: str) -> None:
    assert texts_of(OWN[path]) == []


def test_each_key_is_defined_once() -> None:
    assert [name for name, count in Counter(name for name, _ in messages(CATALOGUE)).items() if count > 1] == []


def test_each_message_is_used() -> None:
    """By its key; or by a table, which is a group of messages that a value chooses from."""
    of_tables = {key for key in KEYS if key.rpartition(".")[0] in USED & TABLES}

    assert KEYS - USED - of_tables == set()


def test_a_message_with_placeholders_is_filled_wherever_it_is_used() -> None:
    filled = {key_of(name) for name, text in messages(CATALOGUE) if "{" in text or key_of(name) != name}
    says = ("say(", "sayParts(", "sayOrdinal(")

    assert [(path, use) for path, (call, use) in USES if use.removeprefix(".") in filled and call not in says] == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("html`<p>Loading</p>`", ["Loading"]),
        ("html`<p class=\"row quiet\" data-x=${`a ${b}`}>${text} · ×</p>`", []),
        ("html`<p>${known && html`<b title=\"All of them\">${name}</b>`}</p>`", ["All of them"]),
        ("html`<${Fold} label=\"Tools\">${() => html`<li>now</li>`}<//>`", ["now", "Tools"]),
        ('// Not "This one"\nconst words = { live: "Live", key: "dead-letters" };', ["Live"]),
        ("const pattern = /\"Quoted `text`/; notice.value = `not asked: ${why}`;", ["not asked: \0"]),
        ('notice.value = "…"; go("/system?part=held");', ["…"]),
    ],
)  # fmt: skip
def test_text_is_found_where_people_read_it(source: str, found: list[str]) -> None:
    assert list(literal_texts(source)) == found


def test_keys_are_found_in_their_groups() -> None:
    catalogue = (
        'export const en = frozen({ a: { "b-c": "One" }, count: {\n one: "{count} a", // b: "c"\n other: "x" } });'
    )

    assert list(messages(catalogue)) == [("a.b-c", "One"), ("count.one", "{count} a"), ("count.other", "x")]


def test_the_page_knows_the_stages_that_do_not_belong_to_the_investigation() -> None:
    found = re.search(r"STAGES_AFTER_THE_END = new Set\(\[(.*)\]\)", OWN["state/chat_state.js"])
    assert found is not None
    assert tuple(found[1].replace('"', "").split(", ")) == STAGES_AFTER_THE_END
