"""Rules of the operator for runbooks."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tarsy_config.sections.defaults import System


@dataclass(frozen=True, slots=True, kw_only=True)
class RunbookRules:
    """`seconds` are for the whole fetch. `token_name` is the variable that people are told of; `token` goes to GitHub.

    `allowed_domains`: see tarsy_contracts.runbook_urls.
    """

    allowed_domains: tuple[str, ...] = ("github.com", "raw.githubusercontent.com")
    cache_seconds: float = 60.0
    most_bytes: int = 256 * 1024
    seconds: float = 10.0
    token: str | None = field(default=None, repr=False)
    token_name: str = "GITHUB_TOKEN"


def rules_of(system: System, environ: Mapping[str, str]) -> RunbookRules:
    return RunbookRules(
        allowed_domains=system.runbooks.allowed_domains,
        cache_seconds=system.runbooks.cache_ttl,
        most_bytes=system.runbooks.max_bytes,
        seconds=system.runbooks.timeout,
        token=environ.get(system.github.token_env, "").strip() or None,
        token_name=system.github.token_env,
    )
