"""Client of the configuration, and key that encrypts: a login needs them on this machine."""

from pathlib import Path

from pydantic import ValidationError

from tarsy_cli.config.commands import read_config
from tarsy_cli.logins.errors import ServerLoginError
from tarsy_local.kept_keys import TOKEN_KEY
from tarsy_service.settings.service_settings import mistakes_in_settings
from tarsy_tool_gateway.mcp.logins.token_keys import TokenKeys
from tarsy_tool_gateway.mcp.server_plan import LoginClient, StdioTransport, WebAddress, plan_of
from tarsy_tool_gateway.settings import TokenKeySettings


def client_of_config(path: Path, server: str) -> tuple[WebAddress, LoginClient]:
    """Ends the command where the configuration has mistakes. Raises ServerLoginError."""
    config = read_config(path)
    if server not in config.mcp_servers:
        known = ", ".join(sorted(config.mcp_servers))
        raise ServerLoginError(f"{path} has no MCP server of this name, but {known}")
    transport = plan_of(server, config.mcp_servers[server]).transport
    if isinstance(transport, StdioTransport) or not isinstance(transport.oauth, LoginClient):
        raise ServerLoginError("its transport has no oauth with grant: authorization_code in tarsy.yaml")
    return transport, transport.oauth


def token_keys_of_home(home: Path) -> TokenKeys:
    """Those of the environment, or else the one that `tarsy up` keeps. Raises ServerLoginError."""
    try:
        settings = TokenKeySettings()
    except ValidationError as problem:
        raise ServerLoginError("; ".join(mistakes_in_settings(problem))) from None
    if settings.token_keys:
        return TokenKeys(settings.token_keys)
    kept = home / TOKEN_KEY.file
    try:
        return TokenKeys([kept.read_bytes().strip()])
    except OSError:
        raise ServerLoginError(
            f"neither {TOKEN_KEY.variable} nor {kept} has a key: give the one that the tool gateways have"
        ) from None
