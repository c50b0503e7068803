"""A broker with a password: nobody else gets in, at neither of its ports."""

import re
import socket
import stat
import struct
from pathlib import Path

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import KafkaConnectionError

from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_embedded.kafka_sasl import MECHANISM, PROTOCOL, USER
from tarsy_embedded.password_file import read_password
from tarsy_processes.ports import free_port

API_VERSIONS, METADATA = 18, 3


def broker(folder: Path, cache_dir: Path, *, password: bool) -> EmbeddedKafka:
    return EmbeddedKafka(folder, port=free_port(), cache_dir=cache_dir, progress=lambda _: None, password=password)


def login(password: str) -> dict[str, str]:
    return {
        "security_protocol": PROTOCOL,
        "sasl_mechanism": MECHANISM,
        "sasl_plain_username": USER,
        "sasl_plain_password": password,
    }


def is_answered(port: int, request: int) -> bool:
    """Whether somebody who does not log in gets an answer, else the connection ends."""
    message = struct.pack(">hhih", request, 0, 1, -1) + (struct.pack(">i", 0) if request == METADATA else b"")
    with socket.create_connection(("127.0.0.1", port), 30) as connection:
        connection.sendall(struct.pack(">i", len(message)) + message)
        return connection.recv(4) != b""


async def test_data_of_before_is_read_with_the_password_and_by_nobody_without(tmp_path: Path, cache_dir: Path) -> None:
    folder = tmp_path / "kafka"
    with broker(folder, cache_dir, password=False) as open_to_all:
        assert open_to_all.password_file is None
        await write(open_to_all, b"an alert")
    with broker(folder, cache_dir, password=True) as kafka:
        assert kafka.password_file is not None
        password = kafka.password_file.read_text("ascii")
        assert await read_first(kafka, login(password)) == b"an alert"
        for wrong in ({}, login("guessed")):
            with pytest.raises(KafkaConnectionError):
                await read_first(kafka, wrong)
    with broker(folder, cache_dir, password=True) as again:
        assert read_password(again.data_dir) == password, "it is made once"


def test_nobody_is_answered_at_either_port_before_he_says_who_he_is(tmp_path: Path, cache_dir: Path) -> None:
    with broker(tmp_path / "kafka", cache_dir, password=True) as kafka:
        settings = (kafka.data_dir / "server.properties").read_text("utf-8")
        (controller,) = re.findall(r"CONTROLLER://127\.0\.0\.1:(\d+)$", settings, re.MULTILINE)
        assert is_answered(kafka.port, API_VERSIONS)
        assert not is_answered(kafka.port, METADATA)
        assert not is_answered(int(controller), METADATA)


def test_files_with_the_password_are_their_owners_only(tmp_path: Path, cache_dir: Path) -> None:
    with broker(tmp_path / "kafka", cache_dir, password=True) as kafka:
        password = read_password(kafka.data_dir)
        holding = [
            file
            for file in kafka.data_dir.iterdir()
            if file.is_file() and password in file.read_text("utf-8", errors="replace")
        ]
    assert {file.name for file in holding} == {"password", "kcat.conf", "server.properties"}
    assert {stat.S_IMODE(file.stat().st_mode) for file in holding} == {0o600}


async def write(kafka: EmbeddedKafka, value: bytes) -> None:
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka.bootstrap)
    await admin.start()
    await admin.create_topics([NewTopic("alerts", 1, 1)])
    await admin.close()
    async with AIOKafkaProducer(bootstrap_servers=kafka.bootstrap) as producer:
        await producer.send_and_wait("alerts", value)


async def read_first(kafka: EmbeddedKafka, arguments: dict[str, str]) -> bytes | None:
    consumer = AIOKafkaConsumer(bootstrap_servers=kafka.bootstrap, **arguments)
    try:
        await consumer.start()
        place = TopicPartition("alerts", 0)
        consumer.assign([place])
        consumer.seek(place, 0)
        value: bytes | None = (await consumer.getone()).value
        return value
    finally:
        await consumer.stop()
