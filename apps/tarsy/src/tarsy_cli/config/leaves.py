"""Single settings, as they are shown: the value, and where it comes from."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, JsonValue, SecretStr

from tarsy_config.config import Config
from tarsy_config.document.provenance import Found, Origin
from tarsy_config.errors import KeyPath

type Tree = dict[str, JsonValue]

VALUE = "value"
FROM = "from"


def leaf(value: JsonValue, origin: Origin | str) -> Tree:
    return {VALUE: value, FROM: str(origin)}


def leaf_of(setting: Found[Any]) -> Tree:
    """A setting that is a number, one of a few words, or names of what is configured: it is shown as it is."""
    return leaf(_to_json(setting.value), setting.origin)


def text(config: Config, setting: Found[str]) -> Tree:
    return leaf_without_secret(config, setting.value, setting.origin)


def leaf_without_secret(config: Config, value: Any, origin: Origin) -> Tree:
    """Names the variable of a template instead of its value, which may be a secret wherever it stands."""
    variables = config.sources.variables(origin.place) if origin.kind == "file" else ()
    if variables:
        return leaf(f"set, from {', '.join(variables)}", origin)
    return leaf(_to_json(value), origin)


def secret(config: Config, value: SecretStr | str | None, path: KeyPath) -> Tree:
    if not value:
        return leaf("not set", config.sources.origin_or_default(path))
    variables = config.sources.variables(path)
    return leaf(f"set, from {', '.join(variables)}" if variables else "set", config.sources.origin_or_default(path))


def of_environment(name: str, environ: Mapping[str, str], origin: Origin) -> Tree:
    """A secret that is looked up under this name."""
    return leaf(f"{'set' if environ.get(name) else 'not set'}, from {name}", origin)


def section(config: Config, path: KeyPath, model: BaseModel, *, without: frozenset[str] = frozenset()) -> Tree:
    """Every key of a section that holds no secrets."""
    tree: Tree = {}
    for key in type(model).model_fields.keys() - without:
        value, at = getattr(model, key), (*path, key)
        nested = isinstance(value, BaseModel)
        tree[key] = (
            section(config, at, value)
            if nested
            else leaf_without_secret(config, value, config.sources.origin_or_default(at))
        )
    return {key: tree[key] for key in type(model).model_fields if key in tree}


def _to_json(value: Any) -> JsonValue:
    if isinstance(value, tuple | list):
        return [_to_json(item) for item in value]
    if isinstance(value, BaseModel):
        dumped: JsonValue = value.model_dump(mode="json", exclude_none=True, by_alias=True)
        return dumped
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
