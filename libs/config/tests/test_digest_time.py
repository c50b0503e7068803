"""When a receiver is sent the digest of a week, checked at the start with file and line."""

from pathlib import Path

import pytest

from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config
from tarsy_config.sections.digest_time import DigestTime

REST = """\
llm_providers: {s: {type: scripted, script: s.yaml}}
defaults: {llm_provider: s}
notifications:
  ops:
    type: webhook
    url: https://ops.example/hook
"""


def digest_of(folder: Path, digest: str) -> DigestTime | None:
    (folder / "s.yaml").write_text("[]", "utf-8")
    (folder / "tarsy.yaml").write_text(f"{REST}    {digest}\n", "utf-8")
    return load_config(folder, {}).receivers["ops"].digest


def test_a_digest_comes_when_it_is_asked_for(tmp_path: Path) -> None:
    written = 'digest: {day: friday, at: "16:30", time_zone: Europe/Berlin}'
    assert digest_of(tmp_path, written) == DigestTime(day="friday", at="16:30", time_zone="Europe/Berlin")
    assert digest_of(tmp_path, "digest: {}") == DigestTime(day="monday", at="09:00", time_zone=None)
    assert digest_of(tmp_path, "chains: []") is None


@pytest.mark.parametrize(
    ("digest", "mistake"),
    [
        ("{day: someday}", r"digest\.day"),
        ('{at: "24:00"}', r"digest\.at: is not a time of day; write it in quotes"),
        ("{at: 10:30}", r"digest\.at: is not a time of day"),
        ("{time_zone: Europe/Nowhere}", r"digest\.time_zone: is not a time zone"),
        ("{hour: 9}", r"digest\.hour"),
        ("monday", r"digest"),
    ],
)
def test_a_mistake_is_told_with_file_and_line(tmp_path: Path, digest: str, mistake: str) -> None:
    with pytest.raises(InvalidConfigError, match=rf"tarsy.yaml:7: notifications\.ops\.{mistake}"):
        digest_of(tmp_path, f"digest: {digest}")
