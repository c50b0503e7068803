"""The masker that a service would have: with the key of the environment, and what the configuration adds."""

from collections.abc import Mapping
from pathlib import Path

from tarsy_cli.errors import CommandError
from tarsy_config.errors import InvalidConfigError, suggestion
from tarsy_config.loading.load import load_config
from tarsy_config.sections.masking import DataMasking
from tarsy_local.kept_keys import MASKING_KEY
from tarsy_masking.masker import Masker
from tarsy_masking.rules import InvalidPatternsError
from tarsy_service.settings.service_settings import SHORTEST_KEY_BYTES
from tarsy_tool_gateway.masking import server_maskers


class InvalidRulesError(CommandError):
    """The rules cannot be used. The operator corrects them."""


def masker_for(*, server: str, folder: Path, session: str, environ: Mapping[str, str]) -> Masker:
    """Without a server: the rules that are always on. Without a session: no digits in placeholders.

    Raises InvalidRulesError.
    """
    masker = Masker.default(_require_masking_key(environ) if session else None)
    if server:
        masker = _with_rules(masker, server, _read_masking_of_server(server, folder, environ))
    return masker.for_session(session) if session else masker


def _require_masking_key(environ: Mapping[str, str]) -> bytes:
    key = environ.get(MASKING_KEY.variable, "").strip().encode(errors="surrogateescape")
    if not key:
        raise InvalidRulesError(f"--session needs {MASKING_KEY.variable}: the key that TARSy's services have.")
    if len(key) < SHORTEST_KEY_BYTES:
        raise InvalidRulesError(
            f"{MASKING_KEY.variable} is shorter than {SHORTEST_KEY_BYTES} bytes: no service would take it."
        )
    return key


def _read_masking_of_server(name: str, folder: Path, environ: Mapping[str, str]) -> DataMasking:
    try:
        servers = load_config(folder, environ).mcp_servers
    except InvalidConfigError as problem:
        raise InvalidRulesError(str(problem)) from None
    if name not in servers:
        raise InvalidRulesError(f"No MCP server of {folder} has the name {name}: {suggestion(name, servers)}")
    return servers[name].data_masking


def _with_rules(masker: Masker, server: str, masking: DataMasking) -> Masker:
    try:
        return server_maskers(masker, {server: masking}).of(server)
    except InvalidPatternsError as problem:
        raise InvalidRulesError(str(problem)) from None
