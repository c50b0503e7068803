"""Slack and a webhook get the notifications of a live system, while the notifier and the publisher are killed,
and the topic grows; then people review from Slack.
"""

import httpx2
from aiokafka.admin import NewPartitions

from tarsy_bus.topics.topics_admin import admin
from tarsy_contracts import events as e
from tarsy_contracts.public.envelope import PublicEnvelope
from tarsy_contracts.public.session_events import PublicSessionCompleted, PublicSessionStarted
from tarsy_testing.real_servers import eventually
from tarsy_testing.servers.bus_kafka import read_all
from tarsy_testing.servers.public_topic import until_all_is_public
from tarsy_testing.servers.slack_clicks import ANN, BEN, SIGNING_SECRET, click
from tarsy_testing.servers.slack_server import CHANNEL, TOKEN, SlackServer, rate_limited
from tarsy_testing.servers.webhook import Webhook
from tarsy_testing.story.incident import alert_now
from tarsy_testing.story.log import read_log
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
    channels = {"TARSY_SLACK_REVIEW_CHANNELS": CHANNEL}
    system.environments["notifier"] = {"SLACK_BOT_TOKEN": TOKEN, "HOOK_SECRET": "a secret of sixteen", **channels}
    clicks = {"TARSY_SLACK_SIGNING_SECRETS": SIGNING_SECRET, "TARSY_SLACK_HOOKS_URL": slack.hooks_url}
    system.environments["timeline"] = {**channels, **clicks}
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
    await check_that_the_first_click_counts(system, slack, answered)


async def check_that_the_first_click_counts(system: System, slack: SlackServer, session: str) -> None:
    """Two people rate the same analysis, with the buttons of its message."""
    (message,) = [one for one in slack.messages if f"session {session}" in str(one) and "tarsy.review." in str(one)]
    url = system.of("timeline").url
    async with httpx2.AsyncClient(base_url=url, timeout=90, trust_env=False) as app:
        await click(slack, app, message, "Accurate", ANN)
        await until_answered(slack, 1)
        await click(slack, app, message, "Partly", BEN)
        await until_answered(slack, 2)
    assert [one["text"] for one in slack.answers] == [
        "It is on record: accurate.",
        f"{ANN.author} has reviewed it already (accurate): reopen it first",
    ]
    changed = (await read_log(system.bus))[session].events(e.ReviewChanged)
    assert [(one.author, one.action, one.rating) for one in changed] == [(ANN.author, "complete", "accurate")]


async def until_answered(slack: SlackServer, count: int) -> None:
    async def answered() -> bool:
        return len(slack.answers) >= count

    await eventually(answered, lambda: f"{count} people are answered: {slack.answers}")


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
