"""Class-data archive of the JVM (CDS), which halves the start of the broker."""

import tempfile
from pathlib import Path

from tarsy_embedded.jars import class_path, kafka_jars
from tarsy_embedded.java import find_java
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_embedded.kafka_command import archive_path
from tarsy_embedded.progress import Progress
from tarsy_processes.ports import free_port

# Java writes the archive while it ends, and needed 20 s for it on a busy machine.
_WRITING_SECONDS = 120.0


def prepare_class_archive(cache_dir: Path, progress: Progress) -> None:
    """Everything that can be done before the first start: fetch the jars, make the archive.

    For set-up time: it takes longer than the archive saves in one start. Without it the broker starts all the same.
    When an archive exists, the starter of Kafka verifies the jars.
    """
    archive = archive_path(find_java(), class_path(cache_dir), cache_dir)
    if archive.is_file():
        return
    kafka_jars(cache_dir, progress)
    progress("Recording which classes Kafka loads, so that it starts faster from now on")
    with tempfile.TemporaryDirectory(dir=cache_dir, prefix="classes-") as work:
        new = Path(work, "archive")
        kafka = EmbeddedKafka(
            Path(work, "kafka"),
            port=free_port(),
            cache_dir=cache_dir,
            progress=_drop_message,
            password=True,
            record_classes=new,
        )
        kafka.start()
        kafka.stop(_WRITING_SECONDS)
        if new.is_file():
            new.replace(archive)


def _drop_message(message: str) -> None:
    """Drops the messages: nobody will use this broker."""
