"""The catalogue of messages, as people read it."""

import re

import pytest

from tarsy_contracts.wire.topics import Topics
from tarsy_docgen.events_page import describe_retention, events_page
from tarsy_docgen.field_words import kind_of, rows
from tarsy_docgen.messages import MESSAGES
from tarsy_docgen.schema import Schema


@pytest.fixture(scope="module")
def page() -> str:
    return events_page()


def test_every_message_stands_in_it_with_all_its_fields(page: str) -> None:
    for messages in MESSAGES.values():
        for message in messages.values():
            section = page.partition(f"### `{message.type}`\n")[2].partition("\n#")[0]
            assert section, message.type
            assert set(re.findall(r"^\| `(\w+)`", section, re.MULTILINE)) == message.model_fields.keys()


def test_it_says_who_writes_and_reads_what_a_message_means_and_what_its_fields_are(page: str) -> None:
    section = page.partition("### `tool_call.started`\n")[2].partition("\n#")[0]
    assert "The first claim that was decided." in section
    assert "Written by **orchestrator**, read by **orchestrator**, **timeline**, **websocket-gateway**." in section
    assert "| `claim_id` | text | yes |" in section
    assert "| `stored` | [StoredResult](#storedresult) or null | no, `null` |" in page


def test_every_link_within_it_leads_to_a_heading(page: str) -> None:
    headings = {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", page, re.M)
    }
    links = set(re.findall(r"\]\(#([^)]*)\)", page))
    assert links
    assert links <= headings


def test_types_are_told_in_plain_words() -> None:
    assert kind_of({}) == "any JSON"
    assert kind_of({"type": "array", "items": {"type": "string"}}) == "list of text"
    assert kind_of({"type": "object", "additionalProperties": {"type": "integer"}}) == "object of integer"
    assert kind_of({"type": "string", "format": "date-time"}) == "time (RFC 3339)"
    assert kind_of({"enum": ["a", "b"]}) == '`"a"` or `"b"`'
    assert kind_of({"anyOf": [{"$ref": "#/$defs/Piece"}, {"type": "null"}]}) == "[Piece](#piece) or null"


def test_a_field_that_says_what_it_means_is_shown_with_it_and_a_bar_does_not_break_the_table() -> None:
    schema: Schema = {"properties": {"x": {"type": "boolean", "default": False, "description": "yes | no"}}}
    assert list(rows(schema)) == ["| `x`: yes \\| no | true or false | no, `false` |"]


def test_how_long_a_topic_keeps_is_told_in_words() -> None:
    told = {topic.name: describe_retention(topic) for topic in Topics().all()}
    assert told["tarsy.sessions"] == "kept for ever"
    assert told["tarsy.heads"] == "compacted: the newest of each key is kept"
    assert told["tarsy.inbox"] == "kept for 7 days"
    assert told["tarsy.stream"] == "kept for an hour"
    assert told["tarsy.control"] == "kept for 15 minutes"
