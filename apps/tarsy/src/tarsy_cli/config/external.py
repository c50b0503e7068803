"""MCP servers, LLM providers and receivers as they are shown: whether their secrets are set, never what they are."""

from collections.abc import Mapping

from tarsy_cli.config.leaves import Tree, leaf, leaf_without_secret, of_environment, secret, section
from tarsy_config.config import Config
from tarsy_config.errors import KeyPath
from tarsy_config.sections.providers import LlmProvider
from tarsy_config.sections.transports import Transport
from tarsy_config.shown_settings import host_of

TRANSPORT_SECTION = frozenset({"transport"})


def server_tree(config: Config, name: str) -> Tree:
    path: KeyPath = ("mcp_servers", name)
    server = config.mcp_servers[name]
    return {
        "defined": str(config.sources.origin(path)),
        "transport": _transport_tree(config, (*path, "transport"), server.transport),
        **section(config, path, server, without=TRANSPORT_SECTION),
    }


def _transport_tree(config: Config, path: KeyPath, transport: Transport) -> Tree:
    given = config.sources.origin_or_default
    tree: Tree = {"type": leaf(transport.type, given((*path, "type")))}
    if transport.type == "stdio":
        tree["command"] = leaf_without_secret(config, transport.command, given((*path, "command")))
        tree["args"] = leaf(f"{len(transport.args)} arguments", given((*path, "args")))
        tree["env"] = {name: secret(config, value, (*path, "env", name)) for name, value in transport.env.items()}
    else:
        tree["url"] = leaf(host_of(transport.url or ""), given((*path, "url")))
        tree["bearer_token"] = secret(config, transport.bearer_token, (*path, "bearer_token"))
        headers = (*path, "headers" if config.sources.defines((*path, "headers")) else "custom_headers")
        tree["headers"] = {name: secret(config, value, (*headers, name)) for name, value in transport.headers.items()}
        tree["verify_ssl"] = leaf(transport.verify_ssl, given((*path, "verify_ssl")))
    if transport.timeout is not None:
        tree["timeout"] = leaf(transport.timeout, given((*path, "timeout")))
    return tree


def provider_tree(config: Config, name: str) -> Tree:
    key_path: KeyPath = ("llm_providers", name)
    provider = config.llm_providers[name]
    given = config.sources.origin_or_default
    tree: Tree = {
        "defined": str(config.sources.origin(key_path)),
        "type": leaf(provider.type, given((*key_path, "type"))),
        "in_use": name in config.llm_providers_in_use,
    }
    if provider.type == "scripted":
        return tree | {"script": leaf([path.name for path in provider.script], given((*key_path, "script")))}
    return tree | {
        "model": leaf_without_secret(config, provider.model, given((*key_path, "model"))),
        "api_key": _key_leaf(config, key_path, provider),
        "base_url": leaf(host_of(provider.base_url), given((*key_path, "base_url")))
        if provider.base_url
        else leaf(None, "default"),
        "thinking": leaf(provider.thinking, given((*key_path, "thinking"))),
        "max_output_tokens": leaf(provider.max_output_tokens, given((*key_path, "max_output_tokens"))),
        **{key: _cloud_leaf(config, key_path, key, value) for key, value in provider.cloud.items()},
        "native_tools": section(config, (*key_path, "native_tools"), provider.native_tools),
    }


def _cloud_leaf(config: Config, path: KeyPath, key: str, value: str) -> Tree:
    """Credentials may be a whole file: that they are set is enough."""
    origin = config.sources.origin_or_default((*path, key if config.sources.defines((*path, key)) else f"{key}_env"))
    return leaf("set", origin) if key == "credentials" else leaf_without_secret(config, value, origin)


def _key_leaf(config: Config, path: KeyPath, provider: LlmProvider) -> Tree:
    """The file has the key itself, or the environment has it."""
    if config.sources.defines((*path, "api_key")):
        return secret(config, provider.api_key, (*path, "api_key"))
    variables = " or ".join(provider.key_variables)
    if not variables:
        return leaf(None, "default")
    state = "not set" if provider.api_key is None else "set"
    return leaf(f"{state}, from {variables}", config.sources.origin_or_default((*path, "api_key_env")))


def receiver_tree(config: Config, name: str, environ: Mapping[str, str]) -> Tree:
    """The one of Go TARSy's `system.slack` has its origins there."""
    receiver, named = config.receivers[name], name in config.notifications
    path: KeyPath = ("notifications", name) if named else ("system", "slack")
    given = config.sources.origin_or_default
    tree: Tree = {
        "defined": str(config.sources.origin(path)),
        "type": leaf(receiver.type, given((*path, "type"))),
        "events": leaf([*receiver.events], given((*path, "events"))),
        "chains": leaf([*receiver.chains] or "all", given((*path, "chains"))),
        "give_up_after": leaf(receiver.give_up_after, given((*path, "give_up_after"))),
    }
    if receiver.type == "slack":
        tree["channel"] = leaf_without_secret(config, receiver.channel, given((*path, "channel")))
        tree["token"] = of_environment(receiver.token_env, environ, given((*path, "token_env")))
        return tree
    tree["url"] = leaf(host_of(receiver.url or ""), given((*path, "url")))
    tree["format"] = leaf(receiver.format, given((*path, "format")))
    if receiver.secret_env is not None:
        tree["secret"] = of_environment(receiver.secret_env, environ, given((*path, "secret_env")))
    return tree
