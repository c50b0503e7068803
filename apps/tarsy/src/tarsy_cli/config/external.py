"""MCP servers and LLM providers, as they are shown: whether their secrets are set, and never what they are."""

from tarsy_cli.config.leaves import Tree, leaf, secret, section, shown
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
