"""The lock of what readers rely on: given released and current schemas, then what is refused and what it becomes."""

from tarsy_docgen.released import extend_lock, find_breaking_changes, strip_words
from tarsy_docgen.schema import Schema

TEXT: Schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
NONE: frozenset[str] = frozenset()
NUMBER: Schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


def test_a_new_message_is_added() -> None:
    assert find_breaking_changes({}, {"events/a.b.1": TEXT}, NONE) == []
    assert extend_lock({}, {"events/a.b.1": TEXT}) == {"events/a.b.1": TEXT}


def test_a_new_version_with_an_upcaster_is_taken_in_and_the_old_one_stays() -> None:
    released, current = {"events/a.b.1": TEXT}, {"events/a.b.2": NUMBER}
    assert find_breaking_changes(released, current, upcast=NONE) != []
    assert find_breaking_changes(released, current, upcast=frozenset({"events/a.b.1"})) == []
    assert extend_lock(released, current) == {"events/a.b.1": TEXT, "events/a.b.2": NUMBER}


def test_a_message_that_moves_to_another_topic_is_gone_from_the_old_one() -> None:
    (problem,) = find_breaking_changes({"events/a.b.1": TEXT}, {"inputs/a.b.1": TEXT}, NONE)
    assert problem == "events/a.b.1: no message has this name any longer: nobody could read its records"


def test_a_version_that_goes_back_is_refused() -> None:
    assert len(find_breaking_changes({"events/a.b.1": TEXT, "events/a.b.2": NUMBER}, {"events/a.b.1": TEXT}, NONE)) == 1


def test_words_for_people_are_not_relied_on_but_fields_of_these_names_are() -> None:
    schema: Schema = {
        "$id": "urn",
        "title": "T",
        "description": "words",
        "type": "object",
        "properties": {
            "title": {"type": "string", "title": "Title"},
            "description": {"type": "string", "default": {"title": "kept"}},
        },
        "$defs": {"title": {"enum": ["title"], "title": "T"}},
        "required": ["title"],
    }
    assert strip_words(schema) == {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "description": {"type": "string", "default": {"title": "kept"}},
        },
        "$defs": {"title": {"enum": ["title"]}},
        "required": ["title"],
    }
