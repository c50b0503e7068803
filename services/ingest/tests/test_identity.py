"""Which alerts are the same, in which partition their sessions lie, and what a sender is told of it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ingest_running import Ingest, Records

from tarsy_bus.client.connection import Bus
from tarsy_bus.readers.records import delivery
from tarsy_config.sections.alert_handling import AlertSettings
from tarsy_contracts.messages.inputs import INPUTS, AlertReceived
from tarsy_contracts.wire.ids import session_beside
from tarsy_contracts.wire.partitioning import partition_of
from tarsy_ingest.alert_rules import AlertHandlingRules
from tarsy_ingest.intake.identity import AlertIdentities
from tarsy_ingest.raw_alert import AlertResolution, Fingerprint, RawAlert

EPISODE = "11111111-1111-5111-8111-111111111111"
FIRING = RawAlert(
    session_id=EPISODE, alert_type="kubernetes", data="it burns", source="alertmanager", author="ann",
    same=Fingerprint("alertmanager", "c0ffee"),
)  # fmt: skip
PLAIN = replace(FIRING, source="api", same="content")


def identities(settings: AlertSettings | None = None, key: bytes | None = b"k" * 32) -> AlertIdentities:
    rules = AlertHandlingRules({"kubernetes": "one"}, {"kubernetes": settings or AlertSettings()})
    return AlertIdentities(lambda: rules, lambda: 12, key=key, mask=lambda text: text.replace("hunter2", "[MASKED]"))


def key_of(alert: RawAlert, identities: AlertIdentities) -> str | None:
    found = identities.identify(alert).deduplication
    return None if found is None else found.key


@given(st.uuids(), st.uuids(), st.integers(1, 64))
def test_all_sessions_of_a_key_lie_in_its_partition(episode: object, key: object, partitions: int) -> None:
    session_id = session_beside(str(episode), str(key), partitions)
    assert partition_of(session_id.encode(), partitions) == partition_of(str(key).encode(), partitions)
    assert session_beside(str(episode), str(key), partitions) == session_id
    assert session_beside(session_id, str(key), partitions) == session_id, "an episode that lies there has its own id"


def test_an_alert_that_fires_again_has_the_same_key_and_another_session() -> None:
    again = replace(FIRING, session_id="22222222-2222-5222-8222-222222222222", data="it burns more")
    first, second = identities().identify(FIRING), identities().identify(again)
    assert first.deduplication == second.deduplication
    assert first.session_id != second.session_id
    other = replace(FIRING, same=Fingerprint("alertmanager", "beef"))
    assert key_of(other, identities()) != key_of(FIRING, identities())


def test_its_resolution_goes_where_the_alert_went() -> None:
    over = AlertResolution(
        session_id=EPISODE, source="alertmanager", ends_at=None, alert_type="kubernetes", same=FIRING.same
    )
    alert, resolved = identities().identify(FIRING), identities().identify_resolution(over)
    assert alert.deduplication is not None
    assert (resolved.session_id, resolved.deduplication_key) == (alert.session_id, alert.deduplication.key)


def test_what_says_the_same_is_the_same() -> None:
    known = key_of(PLAIN, identities())
    assert known is not None
    assert (
        key_of(replace(PLAIN, session_id="33333333-3333-5333-8333-333333333333", author="bob"), identities()) == known
    )
    others = [
        replace(PLAIN, data="it burns more"),
        replace(PLAIN, alert_type="database"),
        replace(PLAIN, runbook_url="https://example.com"),
    ]
    assert known not in [key_of(other, identities()) for other in others]


def test_the_same_alert_for_another_model_is_another_investigation() -> None:
    named = [replace(PLAIN, llm_provider=name) for name in (None, "one", "one", "other")]
    usual, one, again, other = (key_of(alert, identities()) for alert in named)
    assert one == again
    assert len({usual, one, other}) == 3


def test_no_secret_can_be_guessed_from_a_key() -> None:
    """With the masking key nobody else can try; without it the secret is not in the digest."""
    one, other = replace(PLAIN, data="password=hunter2"), replace(PLAIN, data="password=[MASKED]")
    assert key_of(one, identities(key=b"a" * 32)) != key_of(one, identities(key=b"b" * 32))
    assert key_of(one, identities(key=None)) == key_of(other, identities(key=None))


@pytest.mark.parametrize("settings", [AlertSettings(window_seconds=0.0), AlertSettings(flapping="start")])
def test_an_alert_that_joins_nothing_has_the_session_of_its_episode(settings: AlertSettings) -> None:
    assert identities(settings).identify(FIRING) == FIRING
    assert identities().identify(replace(FIRING, same=None)).session_id == EPISODE


async def test_the_sender_of_the_same_alert_is_told_which_session_it_joined(
    ingest: Ingest, records: Records, bus: Bus
) -> None:
    answers = [(await ingest.client.post("/api/v1/alerts", json={"data": "the same again"})).json() for _ in range(3)]
    assert [answer["status"] for answer in answers] == ["queued", "joined", "joined"]
    assert len({answer["session_id"] for answer in answers}) == 1
    assert "joined" not in answers[0]["message"]
    found = [delivery(record) for record in await records(bus.topics.inbox)]
    inputs = [one.decode(INPUTS) for one in found]
    keys = {one.deduplication.key for one in inputs if isinstance(one, AlertReceived) and one.deduplication}
    assert len(keys) == 1
    assert len({one.envelope.subject for one in found}) == 3, "each has an id of its own, all in one partition"
    assert len({one.partition for one in found}) == 1


async def test_whoever_takes_another_key_wants_another_investigation(ingest: Ingest) -> None:
    async def post(key: str) -> dict[str, str]:
        answer = await ingest.client.post(
            "/api/v1/alerts", json={"data": "keyed"}, headers={"Idempotency-Key": key, "X-Forwarded-User": "ann"}
        )
        body: dict[str, str] = answer.json()
        return body

    one, other, again = await post("k1"), await post("k2"), await post("k1")
    assert [one["status"], other["status"], again["status"]] == ["queued"] * 3
    assert one["session_id"] == again["session_id"] != other["session_id"]
