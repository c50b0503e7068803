"""The digest of a week through the real timeline: two notifiers send it once, and one that starts later does not."""

import json
from datetime import UTC, datetime, timedelta

import httpx2

from tarsy_contracts.api.digests.usage_digest import UsageDigest
from tarsy_contracts.digest_event import DIGEST_TYPE
from tarsy_processes.ports import free_port
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.slack_server import CHANNEL, TOKEN, SlackServer
from tarsy_testing.servers.webhook import Webhook
from tarsy_testing.system.system import System

RECEIVERS = """
notifications:
  on-call: {{type: slack, channel: {channel}, api_url: "{api}", digest: {digest}}}
  other: {{type: webhook, url: "{hook}", digest: {digest}}}
"""
CLAIMS = "/internal/v1/digests/claim"


async def test_each_receiver_gets_the_digest_once_whoever_starts(
    system: System, slack: SlackServer, hook: Webhook
) -> None:
    due = datetime.now(UTC) - timedelta(hours=1)
    digest = f'{{day: {due.strftime("%A").lower()}, at: "{due:%H:%M}", time_zone: UTC}}'
    with (system.config_dir / "tarsy.yaml").open("a", encoding="utf-8") as config:
        config.write(RECEIVERS.format(channel=CHANNEL, api=slack.api_url, hook=hook.url, digest=digest))
    system.environments["notifier"] = {"SLACK_BOT_TOKEN": TOKEN}
    await start_timeline(system)
    for process in [system.start("notifier"), system.start("notifier")]:
        await system.until_ready(process)

    await until_claimed(system, 4)
    await until_sent(hook, slack)
    asked = await claims_asked(system)
    await system.replace("notifier")
    await until_claimed(system, asked + 2)

    assert len(hook.ids) == 1
    assert slack.event_ids == hook.ids
    event = json.loads(hook.got[0][1])
    last = due.date() - timedelta(days=1)
    assert (event["type"], UsageDigest.model_validate(event["data"]).last) == (DIGEST_TYPE, last.isoformat())
    assert f"to {last} (UTC)" in str(slack.messages[0]["text"])


async def start_timeline(system: System) -> None:
    port = free_port()
    system.environment["TARSY_INGEST_URL"] = f"http://127.0.0.1:{port}"
    timeline = system.start("timeline")
    system.environment["TARSY_TIMELINE_URL"] = timeline.url
    for process in (timeline, system.start("ingest", port=port)):
        await system.until_ready(process)


async def claims_asked(system: System) -> int:
    """How often the timeline was asked for a claim, and answered."""
    async with httpx2.AsyncClient(base_url=system.of("timeline").url, timeout=30, trust_env=False) as client:
        lines = (await client.get("/metrics")).text.splitlines()
    found = [line for line in lines if line.startswith("tarsy_http_requests_total") and CLAIMS in line]
    return sum(round(float(line.rpartition(" ")[2])) for line in found if 'status="200"' in line)


async def until_claimed(system: System, count: int) -> None:
    async def claimed() -> bool:
        return await claims_asked(system) >= count

    await eventually(claimed, lambda: f"{count} claims are answered:\n{system.last_warnings()}")


async def until_sent(hook: Webhook, slack: SlackServer) -> None:
    async def sent() -> bool:
        return bool(hook.ids and slack.event_ids)

    await eventually(sent, lambda: f"both have it: {hook.ids}, {slack.event_ids}")
