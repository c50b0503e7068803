"""MCP servers, LLM providers and receivers as they are shown: whether their secrets are set, never what they are."""

from collections.abc import Mapping

from tarsy_cli.config.leaves import Tree, leaf, of_environment, secret, section, shown
from tarsy_config.config import Config
from tarsy_config.errors import Place
from tarsy_config.providers import LlmProvider
from tarsy_config.shown_settings import host_of
from tarsy_config.transports import Transport

TRANSPORT_SECTION = frozenset({"transport"})


def server_tree(config: Config, name: str) -> Tree:
    place: Place = ("mcp_servers", name)
    server = config.mcp_servers[name]
    return {
        "defined": str(config.sources.origin(place)),
        "transport": _transport(config, (*place, "transport"), server.transport),
        **section(config, place, server, without=TRANSPORT_SECTION),
    }


def _transport(config: Config, place: Place, transport: Transport) -> Tree:
    given = config.sources.given
    tree: Tree = {"type": leaf(transport.type, given((*place, "type")))}
    if transport.type == "stdio":
        tree["command"] = shown(config, transport.command, given((*place, "command")))
        tree["args"] = leaf(f"{len(transport.args)} arguments", given((*place, "args")))
        tree["env"] = {name: secret(config, value, (*place, "env", name)) for name, value in transport.env.items()}
    else:
        tree["url"] = leaf(host_of(transport.url or ""), given((*place, "url")))
        tree["bearer_token"] = secret(config, transport.bearer_token, (*place, "bearer_token"))
        headers = (*place, "headers" if config.sources.defines((*place, "headers")) else "custom_headers")
        tree["headers"] = {name: secret(config, value, (*headers, name)) for name, value in transport.headers.items()}
        tree["verify_ssl"] = leaf(transport.verify_ssl, given((*place, "verify_ssl")))
    if transport.timeout is not None:
        tree["timeout"] = leaf(transport.timeout, given((*place, "timeout")))
    return tree


def provider_tree(config: Config, name: str) -> Tree:
    place: Place = ("llm_providers", name)
    provider = config.llm_providers[name]
    given = config.sources.given
    tree: Tree = {
        "defined": str(config.sources.origin(place)),
        "type": leaf(provider.type, given((*place, "type"))),
        "in_use": name in config.llm_providers_in_use,
    }
    if provider.type == "scripted":
        return tree | {"script": leaf([path.name for path in provider.script], given((*place, "script")))}
    return tree | {
        "model": shown(config, provider.model, given((*place, "model"))),
        "api_key": _key(config, place, provider),
        "base_url": leaf(host_of(provider.base_url), given((*place, "base_url")))
        if provider.base_url
        else leaf(None, "default"),
        "thinking": leaf(provider.thinking, given((*place, "thinking"))),
        "max_output_tokens": leaf(provider.max_output_tokens, given((*place, "max_output_tokens"))),
        "native_tools": section(config, (*place, "native_tools"), provider.native_tools),
    }


def _key(config: Config, place: Place, provider: LlmProvider) -> Tree:
    """The file has the key itself, or the environment has it."""
    if config.sources.defines((*place, "api_key")):
        return secret(config, provider.api_key, (*place, "api_key"))
    variables = " or ".join(provider.key_variables)
    state = "not set" if provider.api_key is None else "set"
    return leaf(f"{state}, from {variables}", config.sources.given((*place, "api_key_env")))


def receiver_tree(config: Config, name: str, environ: Mapping[str, str]) -> Tree:
    """The one of Go TARSy's `system.slack` has its origins there."""
    receiver, named = config.receivers[name], name in config.notifications
    place: Place = ("notifications", name) if named else ("system", "slack")
    given = config.sources.given
    tree: Tree = {
        "defined": str(config.sources.origin(place)),
        "type": leaf(receiver.type, given((*place, "type"))),
        "events": leaf([*receiver.events], given((*place, "events"))),
        "chains": leaf([*receiver.chains] or "all", given((*place, "chains"))),
        "give_up_after": leaf(receiver.give_up_after, given((*place, "give_up_after"))),
    }
    if receiver.type == "slack":
        tree["channel"] = shown(config, receiver.channel, given((*place, "channel")))
        tree["token"] = of_environment(receiver.token_env, environ, given((*place, "token_env")))
        return tree
    tree["url"] = leaf(host_of(receiver.url or ""), given((*place, "url")))
    tree["format"] = leaf(receiver.format, given((*place, "format")))
    if receiver.secret_env is not None:
        tree["secret"] = of_environment(receiver.secret_env, environ, given((*place, "secret_env")))
    return tree
