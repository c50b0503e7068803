from pathlib import Path

import pytest

from tarsy_embedded.jars import jars_folder, kafka_jars
from tarsy_embedded.java import find_java
from tarsy_embedded.jvm_cds import prepare_class_archive
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_embedded.kafka_command import archive_path
from tarsy_processes.ports import free_port


@pytest.fixture
def own_cache(cache_dir: Path, tmp_path: Path) -> Path:
    """A cache with the jars, but without an archive."""
    kafka_jars(cache_dir, silent)
    jars_folder(tmp_path).symlink_to(jars_folder(cache_dir))
    return tmp_path


@pytest.mark.parametrize("java", ["of the system", "packaged"])
def test_an_archive_is_made_once_and_then_used(java: str, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if java == "packaged":
        monkeypatch.setenv("PATH", "/nonexistent")
        monkeypatch.delenv("JAVA_HOME", raising=False)
    messages: list[str] = []
    prepare_class_archive(own_cache, messages.append)
    prepare_class_archive(own_cache, messages.append)
    assert messages == ["Recording which classes Kafka loads, so that it starts faster from now on"]
    with broker(own_cache) as kafka:
        assert str(archive(own_cache)) in Path(f"/proc/{kafka.pid}/maps").read_text(encoding="utf-8")


def test_an_archive_that_is_damaged_does_not_keep_the_broker_from_starting(own_cache: Path) -> None:
    archive(own_cache).write_bytes(b"no archive at all")
    with broker(own_cache) as kafka:
        assert kafka.poll_exit() is None


def archive(cache_dir: Path) -> Path:
    return archive_path(find_java(), kafka_jars(cache_dir, silent), cache_dir)


def broker(cache_dir: Path) -> EmbeddedKafka:
    return EmbeddedKafka(cache_dir / "kafka", port=free_port(), cache_dir=cache_dir, progress=silent)


def silent(message: str) -> None:
    pass
