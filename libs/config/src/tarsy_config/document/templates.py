"""`{{.NAME}}` in a value stands for an environment variable."""

import re
from collections.abc import Mapping

from tarsy_config.errors import ConfigError

TEMPLATE = re.compile(r"\{\{(?P<inside>.*?)\}\}", re.DOTALL)
VARIABLE = re.compile(r"\s*\.(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*")
LITERAL_BRACES = '"{{"'
KEPT = "SESSION_ID"
"""Known only when a session runs: the owner of the session fills it in."""


class InvalidTemplateError(ConfigError, ValueError):
    """A template names a variable that is not set, or is more than a name. The operator corrects it."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy


def fill(text: str, environ: Mapping[str, str]) -> str:
    """Raises InvalidTemplateError. The text of a variable is taken as it is, templates in it are not filled again."""
    return TEMPLATE.sub(lambda match: _template_value(match, environ), text)


def names_session(text: str) -> bool:
    """Whether there is a place in it for the id of a session."""
    return any(variable["name"] == KEPT for _, variable in _find_named_templates(text))


def with_session(text: str, session_id: str) -> str:
    """The text with the id in its places; templates of any other kind were filled before."""
    for template, variable in _find_named_templates(text):
        if variable["name"] == KEPT:
            text = text.replace(template, session_id)
    return text


def variables(text: str) -> tuple[str, ...]:
    """The names that the templates of a text have, whether they are set or not."""
    return tuple(dict.fromkeys(variable["name"] for _, variable in _find_named_templates(text)))


def _find_named_templates(text: str) -> list[tuple[str, re.Match[str]]]:
    """Each template that is a name: as it is written, and the name in it."""
    both = ((match[0], VARIABLE.fullmatch(match["inside"])) for match in TEMPLATE.finditer(text))
    return [(template, variable) for template, variable in both if variable is not None]


def _template_value(match: re.Match[str], environ: Mapping[str, str]) -> str:
    if match["inside"].strip() == LITERAL_BRACES:
        return "{{"
    variable = VARIABLE.fullmatch(match["inside"])
    if variable is None:
        raise InvalidTemplateError(
            "a template can only name an environment variable",
            'write {{.NAME}}, or {{"{{"}} where two braces are meant as text',
        )
    name = variable["name"]
    if name == KEPT:
        return match[0]
    if name not in environ:
        raise InvalidTemplateError(
            f"the environment variable {name} is not set", f"set {name}, or write the value itself"
        )
    return environ[name]
