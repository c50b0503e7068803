"""Settings as an API may show them: plain data, where a value that may hold a secret is a name or a number."""

from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import BaseModel, JsonValue, SecretStr

from tarsy_config import built_in
from tarsy_config.config import Config
from tarsy_config.errors import Place
from tarsy_config.notifications import Receiver
from tarsy_config.prices import ConfiguredPrice
from tarsy_config.providers import LlmProvider
from tarsy_config.transports import Transport

type Tree = dict[str, JsonValue]
type Special = Callable[[Config, Place, BaseModel], Tree]


def shown_section(config: Config, place: Place, model: BaseModel) -> Tree:
    """Every key that has a value. Sections that may hold secrets have their own way, in SPECIAL."""
    special = SPECIAL.get(type(model))
    if special is not None:
        return special(config, place, model)
    found = ((key, _shown(config, (*place, key), getattr(model, key))) for key in type(model).model_fields)
    return {key: value for key, value in found if value is not None}


def shown_agents(config: Config) -> dict[str, Tree]:
    """Built-in ones too: chains name them without a word in the file."""
    agents = {**built_in.AGENTS, **config.agents}
    return {name: shown_section(config, ("agents", name), agent) for name, agent in sorted(agents.items())}


def shown_entries(config: Config, section: str, entries: Mapping[str, BaseModel]) -> dict[str, Tree]:
    return {name: shown_section(config, (section, name), entry) for name, entry in sorted(entries.items())}


def host_of(url: str) -> str:
    """The part of an address that is no secret: a user, a path and a query can be one."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port is not None else ""
    host = parts.hostname or ""
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{port}"


def _shown(config: Config, place: Place, value: object) -> JsonValue:
    match value:
        case None:
            return None
        case BaseModel():
            return shown_section(config, place, value)
        case tuple() | list():
            return [_shown(config, (*place, index), item) for index, item in enumerate(value)]
        case dict():
            return {str(key): _shown(config, (*place, str(key)), item) for key, item in value.items()}
        case SecretStr():
            return "set"
        case _:
            return _variables(config, place) or _plain(value)


def _plain(value: object) -> JsonValue:
    match value:
        case bool() | int() | str():
            return value
        case float():
            return f"{value:g}s"
        case _:
            return str(value)


def _variables(config: Config, place: Place) -> str:
    """The variables that a value was written with. It may be a secret wherever it stands."""
    return ", ".join(f"{{{{.{name}}}}}" for name in config.sources.variables(place))


def _transport(config: Config, place: Place, transport: BaseModel) -> Tree:
    assert isinstance(transport, Transport)
    tree: Tree = {"type": transport.type, "protocol": transport.protocol}
    if transport.type == "stdio":
        tree |= {
            "command": _shown(config, (*place, "command"), transport.command),
            "argument_count": len(transport.args),
            "env": [*sorted(transport.env)],
            "inherit": [*transport.inherit],
        }
    else:
        tree |= {
            "url": _address(config, (*place, "url"), transport.url or ""),
            "bearer_token_set": transport.bearer_token is not None,
            "headers": [*sorted(transport.headers)],
            "verify_ssl": transport.verify_ssl,
        }
        if (oauth := transport.oauth) is not None:
            tree["oauth"] = {
                "grant": oauth.grant,
                "issuer": _address(config, (*place, "oauth", "issuer"), oauth.issuer),
                "client_id": _shown(config, (*place, "oauth", "client_id"), oauth.client_id),
                "client_secret_set": oauth.client_secret is not None,
            }
    return tree if transport.timeout is None else {**tree, "timeout": f"{transport.timeout:g}s"}


def _provider(config: Config, place: Place, provider: BaseModel) -> Tree:
    assert isinstance(provider, LlmProvider)
    tree: Tree = {"type": provider.type}
    if provider.type == "scripted":
        return tree | {"script": [Path(script).name for script in provider.script]}
    tree |= {
        "model": _shown(config, (*place, "model"), provider.model),
        "api_key_env": ", ".join(provider.key_variables),
    }
    if provider.base_url:
        tree["base_url"] = _address(config, (*place, "base_url"), provider.base_url)
    for key in ("thinking", "max_output_tokens", "context_tokens"):
        if (value := getattr(provider, key)) is not None:
            tree[key] = _shown(config, (*place, key), value)
    return tree | {"native_tools": shown_section(config, (*place, "native_tools"), provider.native_tools)}


def _receiver(config: Config, place: Place, receiver: BaseModel) -> Tree:
    assert isinstance(receiver, Receiver)
    tree: Tree = {"type": receiver.type, "events": [*receiver.events], "chains": [*receiver.chains]}
    tree["give_up_after"] = f"{receiver.give_up_after:g}s"
    if receiver.type == "slack":
        address = _address(config, (*place, "api_url"), receiver.api_url)
        return tree | {
            "channel": _shown(config, (*place, "channel"), receiver.channel),
            "token_env": receiver.token_env,
            "api_url": address,
        }
    tree |= {"url": _address(config, (*place, "url"), receiver.url or ""), "format": receiver.format}
    return tree if receiver.secret_env is None else {**tree, "secret_env": receiver.secret_env}


def _price(_config: Config, _place: Place, price: BaseModel) -> Tree:
    """Numbers: others are durations."""
    return price.model_dump(exclude_none=True)


def _address(config: Config, place: Place, url: str) -> str:
    return _variables(config, place) or host_of(url)


SPECIAL: Mapping[type[BaseModel], Special] = {
    Transport: _transport,
    LlmProvider: _provider,
    Receiver: _receiver,
    ConfiguredPrice: _price,
}
