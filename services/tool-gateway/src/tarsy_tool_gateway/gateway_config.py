"""Parts of the configuration that a tool gateway runs by."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tarsy_config.config import Config
from tarsy_masking.masker import Masker
from tarsy_tool_gateway.builtin.runbooks.rules import RunbookRules, rules_of
from tarsy_tool_gateway.masking import ServerMaskers, server_maskers
from tarsy_tool_gateway.mcp.server_plan import ServerPlan, plan_of


@dataclass(frozen=True, slots=True)
class GatewayConfig:
    plans: Mapping[str, ServerPlan]
    runbooks: RunbookRules
    masking: ServerMaskers


def prepare_gateway(
    built_in: Masker, environ: Mapping[str, str], config: Config, before: GatewayConfig | None
) -> GatewayConfig:
    """Maskers of servers that are not named any longer stay: a result of theirs may still come."""
    masking = server_maskers(built_in, {name: server.data_masking for name, server in config.mcp_servers.items()})
    if before is not None:
        removed = {name: masker for name, masker in before.masking.of_servers.items() if name not in config.mcp_servers}
        masking = replace(masking, of_servers={**removed, **masking.of_servers})
    return GatewayConfig(
        plans={name: plan_of(name, server, config.approve_of(server)) for name, server in config.mcp_servers.items()},
        runbooks=rules_of(config.system, environ),
        masking=masking,
    )
