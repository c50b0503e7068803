import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tarsy_embedded import jars
from tarsy_embedded.errors import ChecksumMismatchError, DiskFullError, NoDownloadError
from tarsy_embedded.jars import Jar, default_cache_dir, jars_folder, kafka_jars, read_jar_list


def test_the_list_names_what_a_broker_needs_and_no_more() -> None:
    names = {jar.artifact for jar in read_jar_list()}
    assert len(names) == 36
    assert {"kafka_2.13", "slf4j-simple", "log4j-core"} <= names
    assert not {"scala-reflect", "snakeyaml", "kafka-tools-api"} & names


def test_a_jar_that_was_tampered_with_is_named(cache_dir: Path, tmp_path: Path) -> None:
    folder = copied_cache(cache_dir, tmp_path)
    (folder / "kafka-clients-4.3.1.jar").write_bytes(b"something else")
    with pytest.raises(ChecksumMismatchError, match=rf"kafka-clients-4\.3\.1\.jar is not the file .* delete {folder}"):
        kafka_jars(tmp_path, silent)


def test_a_jar_that_is_missing_is_named(cache_dir: Path, tmp_path: Path) -> None:
    (copied_cache(cache_dir, tmp_path) / "jose4j-0.9.6.jar").unlink()
    with pytest.raises(ChecksumMismatchError, match=r"jose4j-0\.9\.6\.jar is not the file"):
        kafka_jars(tmp_path, silent)


def test_without_a_network_it_says_what_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with pytest.raises(NoDownloadError, match=r"start again with a network, or copy .*kafka-4\.3\.1"):
        kafka_jars(tmp_path, silent)
    assert [path.name for path in tmp_path.iterdir()] == ["download.lock"]


def test_a_download_that_brings_something_else_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        jars, "_fetch_jar", lambda context, jar: written(context.repo_cache, jar, b"not what was promised")
    )
    with pytest.raises(ChecksumMismatchError):
        kafka_jars(tmp_path, silent)
    assert [path.name for path in tmp_path.iterdir()] == ["download.lock"]


def test_of_two_that_need_the_jars_at_once_one_downloads_and_both_have_them(tmp_path: Path) -> None:
    count = tmp_path / "count"
    count.touch()
    processes = [subprocess.Popen([sys.executable, "-c", DOWNLOADER, str(tmp_path)]) for _ in range(3)]
    assert [process.wait(240) for process in processes] == [0, 0, 0]
    assert count.read_text(encoding="utf-8") == "fetched\n"


def test_a_full_disk_is_told_before_the_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tarsy_embedded.disk.free_megabytes", lambda folder: 12)
    with pytest.raises(DiskFullError, match="has 12 MB left, and 500 MB are needed: free some space"):
        kafka_jars(tmp_path, silent)


def test_the_cache_can_be_put_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TARSY_CACHE_DIR", str(tmp_path))
    assert default_cache_dir() == tmp_path


DOWNLOADER = f"""
import sys
from pathlib import Path
from tarsy_embedded import jars

cache_dir = Path(sys.argv[1])

def fetch(context, jar):
    with (cache_dir / "count").open("a") as count:
        count.write("fetched\\n")
    context.repo_cache.mkdir()
    path = context.repo_cache / jar.file_name
    path.write_bytes(b"jar")
    return path

jars._fetch_jar = fetch
jars.read_jar_list = lambda: [jars.Jar("group", "artifact", "1", {hashlib.sha256(b"jar").hexdigest()!r})]
[jar] = jars.kafka_jars(cache_dir, lambda message: None)
assert jar.read_bytes() == b"jar"
"""


def copied_cache(cache_dir: Path, new: Path) -> Path:
    kafka_jars(cache_dir, silent)
    folder = jars_folder(new)
    folder.mkdir()
    for jar in jars_folder(cache_dir).iterdir():
        shutil.copy(jar, folder / jar.name)
    return folder


def written(folder: Path, jar: Jar, content: bytes) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / jar.file_name
    path.write_bytes(content)
    return path


def silent(message: str) -> None:
    pass
