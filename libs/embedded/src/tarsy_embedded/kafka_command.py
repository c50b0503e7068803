"""The command line that runs the broker."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from tarsy_embedded.java import Java

# From here on one flag makes the archive (JEP 514), and it holds more than classes.
_FIRST_WITH_AOT_CACHE = 25

_JVM_FLAGS = [
    "-Xms64m",
    "-Xmx256m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:-UsePerfData",
    # A broker without memory goes on with some of its threads, and answers by halves: it is started again instead.
    "-XX:+ExitOnOutOfMemoryError",
    "-Djava.awt.headless=true",
    "-Djava.net.preferIPv4Stack=true",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
    # Says why a broker is not registered (see stale_registration).
    "-Dorg.slf4j.simpleLogger.log.org.apache.kafka.server.BrokerLifecycleManager=info",
]


def broker_command(java: Java, jars: Sequence[Path], archive_flags: Sequence[str], properties: Path) -> list[str]:
    return [str(java.path), *_JVM_FLAGS, *archive_flags, "-cp", _join_class_path(jars), "kafka.Kafka", str(properties)]


def archive_path(java: Java, jars: Sequence[Path], cache_dir: Path) -> Path:
    """Named by all that it depends on, so that one that does not fit is never found."""
    named_by = "\n".join([str(java.path), java.version, _join_class_path(jars), *_JVM_FLAGS])
    return cache_dir.absolute() / f"classes-{java.version}-{hashlib.sha256(named_by.encode()).hexdigest()[:12]}"


def flags_to_record(java: Java, archive: Path) -> list[str]:
    option = "AOTCacheOutput" if java.major >= _FIRST_WITH_AOT_CACHE else "ArchiveClassesAtExit"
    return [f"-XX:{option}={archive}"]


def flags_to_use(java: Java, archive: Path) -> list[str]:
    option = "AOTCache" if java.major >= _FIRST_WITH_AOT_CACHE else "SharedArchiveFile"
    return [f"-XX:{option}={archive}"]


def _join_class_path(jars: Sequence[Path]) -> str:
    return ":".join(str(jar) for jar in sorted(jars))
