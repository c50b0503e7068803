"""Maskers by MCP server: the built-in rules, and what the configuration adds for the server."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from tarsy_config.config import Config
from tarsy_config.document.key_paths import ANY, find_values
from tarsy_config.document.plain_data import Document
from tarsy_config.sections.masking import DataMasking
from tarsy_masking.custom_patterns import compile_custom
from tarsy_masking.masker import Masker
from tarsy_masking.rules import CustomPattern

_CUSTOM = ("mcp_servers", ANY, "data_masking", "custom_patterns")


@dataclass(frozen=True, slots=True)
class ServerMaskers:
    """`built_in` is for servers that nothing was added for, and for the gateway's own tools."""

    built_in: Masker
    of_servers: Mapping[str, Masker] = field(default_factory=dict)

    def of(self, server: str) -> Masker:
        """For what belongs to no session: its standard error, its catalog, why it cannot be reached."""
        return self.of_servers.get(server, self.built_in)

    def of_session(self, server: str, session_id: str) -> Callable[[str], str]:
        return self.of(server).for_session(session_id).mask


def server_maskers(built_in: Masker, servers: Mapping[str, DataMasking]) -> ServerMaskers:
    return ServerMaskers(
        built_in, {name: _with_rules(built_in, wanted) for name, wanted in servers.items() if _adds_rules(wanted)}
    )


def check_custom_patterns(documents: Sequence[Document], config: Config, _environ: Mapping[str, str]) -> None:
    """A check for `load_config`: what only the masker itself knows of a pattern and its replacement."""
    for name, server in config.mcp_servers.items():
        _, mistakes = compile_custom(_custom_patterns(server.data_masking))
        for document, mistake in product(documents, mistakes):
            for path, pattern in find_values(document.data, (*_CUSTOM, ANY, "pattern")):
                if path[1] == name and pattern == mistake.subject:
                    document.wrong(path, mistake.reason, "change the pattern, or its replacement")


def _adds_rules(wanted: DataMasking) -> bool:
    return bool(wanted.names or wanted.custom)


def _with_rules(built_in: Masker, wanted: DataMasking) -> Masker:
    return built_in.with_rules(wanted.names, _custom_patterns(wanted))


def _custom_patterns(wanted: DataMasking) -> list[CustomPattern]:
    return [CustomPattern(each.pattern, each.replacement, each.description) for each in wanted.custom]
