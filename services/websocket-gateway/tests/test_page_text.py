"""The page's text is in one catalogue: no view, store or module of words has its own, and each message is used."""

import re
from collections import Counter
from pathlib import Path

import pytest

from tarsy_page_text import literal_texts, messages

PAGE = Path(__file__).parents[1] / "src/tarsy_websocket_gateway/page"
CATALOGUE = (PAGE / "words/en.js").read_text("utf-8")
PLURAL_FORMS = ("zero", "one", "two", "few", "many", "other")
CODE = {
    "Enter", "Escape", "Home", "End", "Notification", "textarea, select", "Nothing is followed.",
}  # fmt: skip
"""Strings that look like text, and that nobody reads: keys of the keyboard, names of the browser, a mistake of ours."""

EXEMPT = {
    "markdown.js", "stores/question_store.js", "stores/record_store.js", "stores/result_store.js",
    "stores/session_store.js", "views/alert.js", "views/approval.js", "views/ask_selection.js",
    "views/asking.js", "views/call.js", "views/chat.js", "views/citation.js", "views/code_block.js",
    "views/copy.js", "views/copyable.js", "views/export.js", "views/extent.js", "views/facts.js",
    "views/head.js", "views/keyed_request.js", "views/new_items.js", "views/now.js", "views/outline.js",
    "views/question.js", "views/record/call_contents.js", "views/record/long_text.js",
    "views/record/message.js", "views/record/messages.js", "views/record/offered_tools.js",
    "views/record/view.js", "views/record_link.js", "views/reply_cancelling.js", "views/result/drawer.js",
    "views/result/line.js", "views/result/lines.js", "views/result/long_line.js", "views/result/search.js",
    "views/retry.js", "views/runbook.js", "views/session.js", "views/spoken.js", "views/stage_group.js",
    "views/thought.js", "views/time_slider.js", "views/timeline.js", "views/travel_bar.js", "views/turns.js",
    "views/verdict.js", "views/waterfall.js", "words/activity_words.js", "words/citation_words.js",
    "words/item_words.js", "words/record_words.js", "words/result_words.js", "words/session_words.js",
    "words/travel_words.js", "words/verdict_text.js", "words/waterfall_words.js", "words/wording.js",
}  # fmt: skip
"""They have texts of their own still: a module leaves this list when its texts are in the catalogue."""


def modules(*folders: str) -> dict[str, str]:
    paths = [path for folder in folders for path in sorted(PAGE.glob(folder))]
    return {path.relative_to(PAGE).as_posix(): path.read_text("utf-8") for path in paths}


OWN = modules("*.js", "views/**/*.js", "stores/*.js", "words/*.js", "net/*.js", "state/*.js")
COMMANDS = "words/first_alert_words.js"
"""It has commands and configuration, which are the same in each language."""
DRAWN = {path: source for path, source in OWN.items() if not path.startswith(("net/", "state/"))}
del DRAWN["words/en.js"], DRAWN[COMMANDS]


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


@pytest.mark.parametrize("path", sorted(DRAWN.keys() - set(EXEMPT)))
def test_a_module_that_words_or_draws_has_no_text_of_its_own(path: str) -> None:
    assert texts_of(DRAWN[path]) == []


def test_a_module_without_text_of_its_own_is_not_exempt() -> None:
    assert [path for path in EXEMPT if path not in DRAWN or texts_of(DRAWN[path]) == []] == []


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
