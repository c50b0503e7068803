"""The digest of a week, as a receiver is sent it."""

from dataclasses import dataclass
from datetime import datetime

from tarsy_contracts.api.digests.usage_digest import UsageDigest


@dataclass(frozen=True, slots=True)
class WeeklyDigest:
    """`id`: the same in each attempt. `link`: the page with its numbers; empty where nobody configured it."""

    id: str
    due_at: datetime
    digest: UsageDigest
    link: str


def link_to_week(dashboard_url: str, digest: UsageDigest) -> str:
    return f"{dashboard_url}/usage?from={digest.first}&to={digest.last}" if dashboard_url else ""
