"""Clients on the secured listeners of a real Kafka: all kinds of them get in, and a refusal says why."""

import asyncio
import gc
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from aiokafka.errors import KafkaConnectionError
from pydantic import SecretStr

from tarsy_bus.client.access import KafkaAccessError, find_refusal
from tarsy_bus.client.client_lifecycle import start_client, stop_client
from tarsy_bus.client.connection import Bus, member, producer
from tarsy_bus.client.security import PLAINTEXT, KafkaSecurity
from tarsy_bus.client.token_command import EARLY_SECONDS
from tarsy_bus.topics.topics_admin import admin
from tarsy_contracts.wire.topics import Topics
from tarsy_testing.servers.bus_kafka import make_topic, read
from tarsy_testing.servers.certificates import Authority
from tarsy_testing.servers.secured_kafka import KEY_PASSWORD, PASSWORD, USER, SecuredKafka, secured_kafka, token

SECONDS = 90.0
CONNECT_SECONDS = 2.0
SOON_EXPIRED = """
import base64, json, sys, time
_, runs, user, seconds = sys.argv
open(runs, "a").write("run\\n")
claims = {"sub": user, "iat": time.time(), "exp": time.time() + float(seconds)}
print(*(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in ({"alg": "none"}, claims)),
      "", sep=".")
"""
"""A token command: one token for all runs would have expired by the second one, on a slow machine."""


@pytest.fixture(scope="module")
def kafka(work_folder: Path) -> Iterator[SecuredKafka]:
    with secured_kafka(work_folder / "secured") as kafka:
        yield kafka


@dataclass(frozen=True)
class Way:
    """A listener, and how a client gets in there. With `tls`, the client knows the right authority."""

    listener: str
    security: KafkaSecurity = field(default_factory=KafkaSecurity)
    client_cert: bool = False

    def bus(self, kafka: SecuredKafka, **changes: Any) -> Bus:
        security = self.security
        if security.protocol.endswith("SSL"):
            security = replace(security, ca_file=str(kafka.authority.file))
        if self.client_cert:
            own = kafka.client
            security = replace(
                security, cert_file=str(own.cert), key_file=str(own.key), key_password=SecretStr(KEY_PASSWORD)
            )
        return bus_of_listener(kafka, self.listener, replace(security, **changes))


def bus_of_listener(kafka: SecuredKafka, listener: str, security: KafkaSecurity) -> Bus:
    return Bus(kafka.bootstrap(listener), Topics(f"t{uuid4().hex[:10]}"), client="test", security=security)


def with_password(protocol: str, mechanism: str, password: str = PASSWORD) -> KafkaSecurity:
    return KafkaSecurity(protocol, mechanism=mechanism, username=USER, password=SecretStr(password))


def with_token(shown: str) -> KafkaSecurity:
    return KafkaSecurity("SASL_SSL", mechanism="OAUTHBEARER", token_command=shlex.join(["echo", shown]))


WAYS = {
    "TLS": Way("TLS", KafkaSecurity("SSL")),
    "mTLS": Way("MTLS", KafkaSecurity("SSL"), client_cert=True),
    "PLAIN": Way("USERS", with_password("SASL_SSL", "PLAIN")),
    "SCRAM-SHA-256": Way("USERS", with_password("SASL_SSL", "SCRAM-SHA-256")),
    "SCRAM-SHA-512": Way("USERS", with_password("SASL_SSL", "SCRAM-SHA-512")),
    "SCRAM without TLS": Way("OPEN", with_password("SASL_PLAINTEXT", "SCRAM-SHA-512")),
    "OAUTHBEARER": Way("TOKENS", with_token(token())),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
async def test_every_kind_of_client_gets_in(kafka: SecuredKafka, way: Way) -> None:
    bus = way.bus(kafka)
    topic = bus.topics.alerts
    async with asyncio.timeout(SECONDS):
        await make_topic(bus, topic)
        async with admin(bus) as client:
            assert topic in await client.list_topics()
        await write(bus, topic, b"an alert")
        assert [record.value for record in await read(bus, topic)] == [b"an alert"]
        assert await first_of_group(bus, topic) == b"an alert"


async def write(bus: Bus, topic: str, value: bytes) -> None:
    client = producer(bus)
    try:
        await start_client(client)
        await client.send_and_wait(topic, value, partition=0)
    finally:
        await stop_client(client)


async def first_of_group(bus: Bus, topic: str) -> bytes:
    client = member(bus, f"{topic}.group")
    try:
        client.subscribe([topic])
        await start_client(client)
        while not client.assignment():
            await client.getmany(timeout_ms=50)
        await client.seek_to_beginning()
        value = (await client.getone()).value
        assert isinstance(value, bytes)
        return value
    finally:
        await stop_client(client)


async def refused(bus: Bus) -> str:
    with pytest.raises(KafkaAccessError) as caught:
        async with asyncio.timeout(SECONDS), admin(bus):
            pass
    return str(caught.value)


async def kept_out(bus: Bus) -> str:
    """Waiting might mend it: it ends with the time to connect."""
    with pytest.raises(KafkaConnectionError, match="no answer within") as caught:
        async with asyncio.timeout(SECONDS), admin(bus, connect_seconds=CONNECT_SECONDS):
            pass
    return str(caught.value)


async def test_a_certificate_of_another_authority_is_refused(kafka: SecuredKafka, tmp_path: Path) -> None:
    other = Authority(tmp_path, "other")
    sentence = await refused(WAYS["TLS"].bus(kafka, ca_file=str(other.file)))
    assert "shows a certificate that is not trusted (" in sentence
    assert "TARSY_KAFKA_CA_FILE has to hold the authority that signed it" in sentence


async def test_a_certificate_for_another_host_is_refused(kafka: SecuredKafka) -> None:
    bus = WAYS["TLS"].bus(kafka)
    elsewhere = replace(bus, bootstrap=bus.bootstrap.replace("127.0.0.1", "localhost"))
    assert "Hostname mismatch, certificate is not valid for 'localhost'" in await refused(elsewhere)


async def test_a_missing_client_certificate_is_named(kafka: SecuredKafka) -> None:
    sentence = await refused(WAYS["mTLS"].bus(kafka, cert_file="", key_file=""))
    assert "does not take our certificate" in sentence
    assert "see TARSY_KAFKA_CERT_FILE" in sentence


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-512"])
async def test_a_wrong_password_is_refused_and_not_shown(
    kafka: SecuredKafka, mechanism: str, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = "not the password"
    bus = WAYS[mechanism].bus(kafka, password=SecretStr(wrong))
    sentence = await refused(bus)
    assert "refuses who we say we are (Authentication failed" in sentence
    assert wrong not in f"{sentence} {bus} {bus!r} {caplog.text}"


@pytest.mark.parametrize("shown", [token(seconds=-600), "no.token"], ids=["expired", "no token"])
async def test_a_refused_token_is_told_and_not_shown(
    kafka: SecuredKafka, shown: str, caplog: pytest.LogCaptureFixture
) -> None:
    bus = bus_of_listener(kafka, "TOKENS", replace(with_token(shown), ca_file=str(kafka.authority.file)))
    sentence = await refused(bus)
    assert "refuses who we say we are (" in sentence
    assert shown not in f"{sentence} {bus} {bus!r} {caplog.text}"


async def test_a_token_command_that_fails_is_named_when_the_time_is_over(kafka: SecuredKafka) -> None:
    sentence = await kept_out(WAYS["OAUTHBEARER"].bus(kafka, token_command="false"))
    assert "the token command false ended with exit code 1" in sentence


async def test_a_connection_that_the_broker_ends_is_made_anew_with_a_new_token(
    kafka: SecuredKafka, tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    noted = shlex.join([sys.executable, "-c", SOON_EXPIRED, str(runs), USER, str(EARLY_SECONDS / 2)])
    bus = WAYS["OAUTHBEARER"].bus(kafka, token_command=noted)
    await make_topic(bus, bus.topics.alerts)
    client = producer(bus)
    try:
        async with asyncio.timeout(SECONDS):
            await start_client(client)
            await client.send_and_wait(bus.topics.alerts, b"the first", partition=0)
            before = runs.read_text("ascii").count("run")
            while runs.read_text("ascii").count("run") == before:
                await client.send_and_wait(bus.topics.alerts, b"one more", partition=0)
            await client.send_and_wait(bus.topics.alerts, b"the last", partition=0)
    finally:
        await stop_client(client)


async def test_a_mechanism_that_the_listener_does_not_have_is_refused(kafka: SecuredKafka) -> None:
    elsewhere = replace(WAYS["PLAIN"], listener="TOKENS")
    assert "does not have the mechanism of TARSY_KAFKA_SASL_MECHANISM" in await refused(elsewhere.bus(kafka))


def test_a_refused_connection_is_closed_when_the_refusal_is_told(kafka: SecuredKafka) -> None:
    elsewhere = replace(WAYS["PLAIN"], listener="TLS").bus(kafka)
    assert asyncio.run(find_refusal(elsewhere)) is not None
    gc.collect()  # A transport that its loop left open warns, and a warning fails the test.


async def test_a_listener_without_sasl_is_told(kafka: SecuredKafka) -> None:
    elsewhere = replace(WAYS["PLAIN"], listener="TLS")
    assert "has no SASL there, and TARSY_KAFKA_SECURITY_PROTOCOL is SASL_SSL" in await refused(elsewhere.bus(kafka))


@pytest.mark.parametrize(
    ("listener", "way"),
    [
        ("TLS", Way("TLS")),
        ("USERS", Way("USERS")),
        ("OPEN", Way("OPEN")),
        ("USERS", Way("USERS", KafkaSecurity("SSL"))),
        ("OPEN", Way("OPEN", KafkaSecurity("SSL"))),
    ],
    ids=lambda one: one if isinstance(one, str) else one.security.protocol,
)
async def test_another_protocol_than_the_listeners_is_suggested(kafka: SecuredKafka, listener: str, way: Way) -> None:
    sentence = await kept_out(way.bus(kafka))
    assert f"closes the connection: TARSY_KAFKA_SECURITY_PROTOCOL is {way.security.protocol}" in sentence


def test_clients_of_a_bus_share_one_context(kafka: SecuredKafka) -> None:
    security = WAYS["mTLS"].bus(kafka).security
    assert security.client_arguments["ssl_context"] is security.client_arguments["ssl_context"]


def test_a_listener_without_security_needs_no_argument() -> None:
    assert PLAINTEXT.client_arguments == {}
