"""Slack and a webhook get the notifications of a live system, while the notifier and the publisher are killed,
and the topic grows.
"""

import httpx2
from aiokafka.admin import NewPartitions

from tarsy_bus.topics.topics_admin import admin
from tarsy_contracts.public.envelope import PublicEnvelope
from tarsy_contracts.public.session_events import PublicSessionCompleted, PublicSessionStarted
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.bus_kafka import read_all
from tarsy_testing.servers.public_topic import until_all_is_public
from tarsy_testing.servers.slack_server import CHANNEL, TOKEN, SlackServer, rate_limited
from tarsy_testing.servers.webhook import Webhook
from tarsy_testing.story.incident import alert_now
from tarsy_testing.system.investigation import INVESTIGATION_SECONDS
from tarsy_testing.system.system import System

FIRED = "FIRING: PodCrashLooping in shop"
RECEIVERS = """
notifications:
  on-call: {{type: slack, channel: {channel}, api_url: "{api}", events: [started, completed]}}
  other: {{type: webhook, url: "{hook}", events: [started, completed], secret_env: HOOK_SECRET}}
"""


async def submit(system: System, **more: str) -> str:
    async with httpx2.AsyncClient(base_url=system.of("ingest").url, timeout=90, trust_env=False) as client:
        answer = await client.post("/api/v1/alerts", json={"data": str(alert_now()), **more})
        return str(answer.raise_for_status().json()["session_id"])


async def test_each_is_told_once_of_each_investigation_whoever_dies(
    system: System, slack: SlackServer, hook: Webhook
) -> None:
    with (system.config_dir / "tarsy.yaml").open("a", encoding="utf-8") as config:
        config.write(RECEIVERS.format(channel=CHANNEL, api=slack.api_url, hook=hook.url))
    system.environments["notifier"] = {"SLACK_BOT_TOKEN": TOKEN, "HOOK_SECRET": "a secret of sixteen"}
    await system.start_all()
    await system.started("notifier")
    fired = slack.say(FIRED)
    slack.errors["chat.postMessage"] = [rate_limited(1)]

    answered = await submit(system, slack_message_fingerprint="firing: podcrashlooping")
    others = [await submit(system) for _ in range(2)]
    await until_told(hook, slack, 3)
    async with admin(system.bus) as client:
        await client.create_partitions({system.bus.topics.events: NewPartitions(30)})
    await system.replace("notifier")
    others += [await submit(system)]
    await system.replace("notifier")
    await system.replace("timeline")
    await until_told(hook, slack, 8)
    await until_all_is_public(system.bus)

    wanted = sorted(await published_ids(system))
    assert len(wanted) == 8
    assert sorted(set(hook.ids)) == wanted
    assert sorted(slack.event_ids) == wanted
    assert [one.get("thread_ts") for one in slack.messages].count(fired) == 2, answered
    assert len({answered, *others}) == 4


async def published_ids(system: System) -> set[str]:
    """Ids of the events that receivers are told of."""
    kinds = (PublicSessionStarted.type, PublicSessionCompleted.type)
    envelopes = [
        PublicEnvelope.from_headers(one.headers) for one in await read_all(system.bus, system.bus.topics.events)
    ]
    return {one.id for one in envelopes if one.type in kinds}


async def until_told(hook: Webhook, slack: SlackServer, count: int) -> None:
    async def told() -> bool:
        return min(len(set(hook.ids)), len(slack.event_ids)) >= count

    await eventually(told, lambda: f"{count} events: {hook.ids}, {slack.event_ids}", seconds=INVESTIGATION_SECONDS)
