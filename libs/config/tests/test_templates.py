"""Templates are filled from the environment, and nothing else is."""

import pytest

from tarsy_config.document.templates import InvalidTemplateError, fill, names_session, with_session

ENVIRON = {"HOST": "db.example.com", "ODD": "{{.HOST}}", "EMPTY": ""}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("postgres://{{.HOST}}:5432", "postgres://db.example.com:5432"),
        ("{{ .HOST }} {{.HOST}}", "db.example.com db.example.com"),
        ("{{.EMPTY}}", ""),
        ("session {{.SESSION_ID}}", "session {{.SESSION_ID}}"),
        ("{{.ODD}}", "{{.HOST}}"),
        ('{{"{{"}} $labels.pod }}', "{{ $labels.pod }}"),
        ("a $HOST and a {brace}", "a $HOST and a {brace}"),
    ],
)
def test_a_template_becomes_the_text_of_its_variable(text: str, expected: str) -> None:
    assert fill(text, ENVIRON) == expected


def test_a_variable_that_is_not_set_is_named() -> None:
    with pytest.raises(InvalidTemplateError, match="the environment variable PORT is not set"):
        fill("{{.HOST}}:{{.PORT}}", ENVIRON)


@pytest.mark.parametrize("text", ["{{if .HOST}}", "{{ $x }}", "{{}}", "{{.HOST.NAME}}"])
def test_a_template_that_is_more_than_a_name_is_refused(text: str) -> None:
    with pytest.raises(InvalidTemplateError, match="can only name an environment variable"):
        fill(text, ENVIRON)


def test_the_place_of_the_session_is_filled_when_it_is_known_and_nothing_else_is() -> None:
    text = "a {{.SESSION_ID}} b {{ .SESSION_ID }} {{.HOST}} {{"
    assert with_session(text, "7") == "a 7 b 7 {{.HOST}} {{"
    assert [names_session(each) for each in (text, "{{.HOST}}", ".SESSION_ID")] == [True, False, False]
