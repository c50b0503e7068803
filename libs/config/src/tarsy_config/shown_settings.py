"""Settings as an API may show them: plain data, where a value that may hold a secret is a name or a number."""

from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import BaseModel, JsonValue, SecretStr

from tarsy_config.config import Config
from tarsy_config.errors import KeyPath
from tarsy_config.sections import built_in
from tarsy_config.sections.notifications import Receiver
from tarsy_config.sections.prices import ConfiguredPrice
from tarsy_config.sections.providers import LlmProvider
from tarsy_config.sections.transports import Transport
from tarsy_config.skills.configured_skill import ConfiguredSkill

type Tree = dict[str, JsonValue]
type Special = Callable[[Config, KeyPath, BaseModel], Tree]


def show_section(config: Config, path: KeyPath, model: BaseModel) -> Tree:
    """Every key that has a value. Sections that may hold secrets have their own way, in SPECIAL."""
    special = SPECIAL.get(type(model))
    if special is not None:
        return special(config, path, model)
    found = ((key, _shown(config, (*path, key), getattr(model, key))) for key in type(model).model_fields)
    return {key: value for key, value in found if value is not None}


def show_agents(config: Config) -> dict[str, Tree]:
    """Built-in ones too: chains name them without a word in the file."""
    agents = {**built_in.AGENTS, **config.agents}
    return {name: show_section(config, ("agents", name), agent) for name, agent in sorted(agents.items())}


def show_skills(config: Config) -> dict[str, Tree]:
    """Leaves out their texts, which may be long."""
    return {name: _skill(one) for name, one in sorted(config.skills.items())}


def _skill(one: ConfiguredSkill) -> Tree:
    skill = one.skill
    return {
        "description": skill.description,
        "file": one.file,
        "bytes": skill.size,
        "digest": one.digest,
        "tools": [*skill.tools],
        "alert_types": [*skill.alert_types],
        "files": [file.path for file in skill.files],
        "runbooks": [*skill.runbooks],
    }


def show_entries(config: Config, section: str, entries: Mapping[str, BaseModel]) -> dict[str, Tree]:
    return {name: show_section(config, (section, name), entry) for name, entry in sorted(entries.items())}


def host_of(url: str) -> str:
    """The part of an address that is no secret: a user, a path and a query can be one."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port is not None else ""
    host = parts.hostname or ""
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{port}"


def _shown(config: Config, path: KeyPath, value: object) -> JsonValue:
    match value:
        case None:
            return None
        case BaseModel():
            return show_section(config, path, value)
        case tuple() | list():
            return [_shown(config, (*path, index), item) for index, item in enumerate(value)]
        case dict():
            return {str(key): _shown(config, (*path, str(key)), item) for key, item in value.items()}
        case SecretStr():
            return "set"
        case _:
            return _variables(config, path) or _plain(value)


def _plain(value: object) -> JsonValue:
    match value:
        case bool() | int() | str():
            return value
        case float():
            return f"{value:g}s"
        case _:
            return str(value)


def _variables(config: Config, path: KeyPath) -> str:
    """The variables that a value was written with. It may be a secret wherever it stands."""
    return ", ".join(f"{{{{.{name}}}}}" for name in config.sources.variables(path))


def _transport(config: Config, path: KeyPath, transport: BaseModel) -> Tree:
    assert isinstance(transport, Transport)
    tree: Tree = {"type": transport.type, "protocol": transport.protocol}
    if transport.type == "stdio":
        tree |= {
            "command": _shown(config, (*path, "command"), transport.command),
            "argument_count": len(transport.args),
            "env": [*sorted(transport.env)],
            "inherit": [*transport.inherit],
        }
    else:
        tree |= {
            "url": _address(config, (*path, "url"), transport.url or ""),
            "bearer_token_set": transport.bearer_token is not None,
            "headers": [*sorted(transport.headers)],
            "verify_ssl": transport.verify_ssl,
        }
        if (oauth := transport.oauth) is not None:
            tree["oauth"] = {
                "grant": oauth.grant,
                "issuer": _address(config, (*path, "oauth", "issuer"), oauth.issuer),
                "client_id": _shown(config, (*path, "oauth", "client_id"), oauth.client_id),
                "client_secret_set": oauth.client_secret is not None,
            }
    return tree if transport.timeout is None else {**tree, "timeout": f"{transport.timeout:g}s"}


def _provider(config: Config, path: KeyPath, provider: BaseModel) -> Tree:
    assert isinstance(provider, LlmProvider)
    tree: Tree = {"type": provider.type}
    if provider.type == "scripted":
        return tree | {"script": [Path(script).name for script in provider.script]}
    tree |= {
        "model": _shown(config, (*path, "model"), provider.model),
        "api_key_env": ", ".join(provider.key_variables),
    }
    if provider.base_url:
        tree["base_url"] = _address(config, (*path, "base_url"), provider.base_url)
    for key in ("thinking", "max_output_tokens", "context_tokens"):
        if (value := getattr(provider, key)) is not None:
            tree[key] = _shown(config, (*path, key), value)
    tree |= {key: _shown(config, (*path, key), value) for key, value in provider.cloud.items() if key != "credentials"}
    return tree | {"native_tools": show_section(config, (*path, "native_tools"), provider.native_tools)}


def _receiver(config: Config, path: KeyPath, receiver: BaseModel) -> Tree:
    assert isinstance(receiver, Receiver)
    tree: Tree = {"type": receiver.type, "events": [*receiver.events], "chains": [*receiver.chains]}
    tree["give_up_after"] = f"{receiver.give_up_after:g}s"
    if receiver.digest is not None:
        tree["digest"] = show_section(config, (*path, "digest"), receiver.digest)
    if receiver.type == "slack":
        address = _address(config, (*path, "api_url"), receiver.api_url)
        return tree | {
            "channel": _shown(config, (*path, "channel"), receiver.channel),
            "token_env": receiver.token_env,
            "api_url": address,
        }
    tree |= {"url": _address(config, (*path, "url"), receiver.url or ""), "format": receiver.format}
    return tree if receiver.secret_env is None else {**tree, "secret_env": receiver.secret_env}


def _price(_config: Config, _place: KeyPath, price: BaseModel) -> Tree:
    """Numbers: others are durations."""
    return price.model_dump(mode="json", exclude_none=True, exclude_defaults=True, by_alias=True)


def _address(config: Config, path: KeyPath, url: str) -> str:
    return _variables(config, path) or host_of(url)


SPECIAL: Mapping[type[BaseModel], Special] = {
    Transport: _transport,
    LlmProvider: _provider,
    Receiver: _receiver,
    ConfiguredPrice: _price,
}
