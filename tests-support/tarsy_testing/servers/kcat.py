"""kcat, which knows nothing of us: what it writes and reads is what any other program would."""

import subprocess
from pathlib import Path

SECONDS = 180.0
END = "\x1e"


def publish(bootstrap: str, topic: str, file: Path) -> None:
    """The whole file as one record."""
    _kcat("-P", "-b", bootstrap, "-t", topic, str(file))


def headers_of(kafka: str | Path, topic: str) -> list[dict[str, str]]:
    """The headers of all records there are, by partition in their order. `kafka`: HOST:PORT, or a file for `-F`."""
    where = ("-F", str(kafka)) if isinstance(kafka, Path) else ("-b", kafka)
    output = _kcat("-C", *where, "-t", topic, "-e", "-q", "-f", f"%h{END}")
    records = [record for record in output.split(END) if record]
    return [dict(header.split("=", 1) for header in record.split(",")) for record in records]


def places_of(bootstrap: str, topic: str) -> list[tuple[int, int, int]]:
    """Partition, offset and bytes of the value of all records there are."""
    lines = _kcat("-C", "-b", bootstrap, "-t", topic, "-e", "-q", "-f", "%p %o %S\n").splitlines()
    return sorted((int(partition), int(offset), int(size)) for partition, offset, size in map(str.split, lines))


def _kcat(*arguments: str) -> str:
    done = subprocess.run(["kcat", *arguments], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
