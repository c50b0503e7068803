"""`tarsy mask`: what of a file would be masked, where and by which rule, and never what it is."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tarsy_cli.app import cli
from tarsy_cli.masking.input_file import LARGEST
from tarsy_masking.masker import REDACTED, Masker

PASSWORD = "fake-Pa55-of-the-ledger"
TOKEN = "fakeTok3nOfTheDeployment0042"
LOG = f"starting\nconnect to postgres://orders:{PASSWORD}@pg:5432/orders\r\n\nexport API_TOKEN={TOKEN}"
KEY = "0123456789abcdef0123456789abcdef"
MAIN = r"""
mcp_servers:
  badges:
    transport: {type: http, url: "http://127.0.0.1:1/mcp"}
    data_masking:
      custom_patterns:
        - {pattern: 'badge-\d{6}', replacement: "[MASKED_BADGE]", description: badges of visitors}
  plain:
    transport: {type: http, url: "http://127.0.0.1:1/mcp"}
llm_providers:
  own: {type: scripted, script: [script.yaml]}
defaults: {llm_provider: own}
"""


@pytest.fixture(autouse=True)
def without_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TARSY_MASKING_KEY", raising=False)
    monkeypatch.delenv("TARSY_CONFIG_DIR", raising=False)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "app.log"
    file.write_bytes(LOG.encode())
    return file


@pytest.fixture
def configuration(tmp_path: Path) -> Path:
    folder = tmp_path / "config"
    folder.mkdir()
    (folder / "tarsy.yaml").write_text(MAIN, "utf-8")
    (folder / "script.yaml").write_text("turns: []\n", "utf-8")
    return folder


def ran(*arguments: str | Path, stdin: bytes = b"") -> tuple[int, bytes, str]:
    result = CliRunner().invoke(cli, ["mask", *map(str, arguments)], input=stdin)
    return result.exit_code, result.stdout_bytes, result.stderr


def lines(*arguments: str | Path, stdin: bytes = b"") -> list[str]:
    code, out, err = ran(*arguments, stdin=stdin)
    assert (code, err) == (0, "")
    return out.decode().splitlines()


def test_each_finding_has_a_line_with_its_place_its_rule_and_its_placeholder(log: Path) -> None:
    found = [line for line in lines(log) if " -> " in line]

    at = LOG.splitlines()[1].index(PASSWORD) + 1
    assert [re.sub(r" \S+ -> ", " RULE -> ", line) for line in found] == [
        f"{log}:2:{at} RULE -> [MASKED_PASSWORD]",
        f"{log}:4:18 RULE -> [MASKED_TOKEN]",
    ]


@pytest.mark.parametrize("form", [[], ["--json"], ["--text"]], ids=["listing", "json", "text"])
def test_no_part_of_a_secret_is_shown_in_any_form(log: Path, form: list[str]) -> None:
    _, out, err = ran(log, *form)

    shown = out.decode() + err
    parts = [secret[at : at + 6] for secret in (PASSWORD, TOKEN) for at in range(len(secret) - 5)]
    assert [part for part in parts if part in shown] == []


def test_the_end_counts_what_each_rule_found_in_all_files(log: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.log"
    other.write_text(f"redis://:{PASSWORD}@cache\n", "utf-8")

    *_, last = shown = lines(log, other)

    rules = [line.split()[-1] for line in shown if re.fullmatch(r" *\d+ \S+", line)]
    assert last == "3 findings in 2 files."
    assert set(rules) == {line.split()[1] for line in shown if " -> " in line}


def test_a_file_without_secrets_gets_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "calm.log"
    file.write_text("all is well\n", "utf-8")

    assert lines(file) == ["Nothing would be masked."]


@pytest.mark.parametrize("ending", ["", "\n", "\r\n", "\n\n"], ids=["none", "lf", "crlf", "two"])
def test_text_is_the_masked_text_and_nothing_else(tmp_path: Path, ending: str) -> None:
    file = tmp_path / "app.log"
    file.write_bytes((LOG + " größer ✓" + ending).encode())

    code, out, err = ran("--text", file)

    assert (code, err) == (0, "")
    assert out == Masker.default().mask(LOG + " größer ✓" + ending).encode()
    assert out.endswith(("größer ✓" + ending).encode())


def test_standard_input_is_read_where_a_dash_stands(log: Path) -> None:
    assert ran("--text", "-", stdin=LOG.encode()) == ran("--text", log)
    assert any(line.startswith("-:2:") for line in lines("-", stdin=LOG.encode()))


def test_json_is_one_object_with_every_finding(log: Path) -> None:
    code, out, _ = ran("--json", log)

    told: dict[str, Any] = json.loads(out)
    [file] = told["files"]
    expected = Masker.default().findings(LOG)
    assert code == 0
    assert told["findings"] == len(expected) == sum(told["rules"].values())
    assert file["file"] == str(log)
    assert [(found["rule"], found["line"], found["column"], found["length"]) for found in file["findings"]] == [
        (found.rule, found.line, found.column, found.length) for found in expected
    ]


def test_the_patterns_of_a_server_are_added_only_for_that_server(configuration: Path) -> None:
    text = f"badge-114477 opened with {TOKEN[:0]}redis://:{PASSWORD}@cache".encode()

    def masked(*options: str) -> bytes:
        return ran("--text", "-", "--config", configuration, *options, stdin=text)[1]

    assert masked("--server", "badges").startswith(b"[MASKED_BADGE] opened")
    assert masked("--server", "plain").startswith(b"badge-114477 opened")
    assert masked().startswith(b"badge-114477 opened")
    assert PASSWORD.encode() not in masked("--server", "badges")


def test_a_server_that_is_not_there_is_a_mistake_that_names_a_likely_one(configuration: Path) -> None:
    code, out, err = ran("-", "--config", configuration, "--server", "badge", stdin=b"x")

    assert (code, out) == (1, b"")
    assert err == f"No MCP server of {configuration} has the name badge: did you mean badges?\n"


def test_a_configuration_with_mistakes_is_told_before_anything_is_shown(configuration: Path) -> None:
    (configuration / "tarsy.yaml").write_text(MAIN.replace(r"badge-\d{6}", "badge-("), "utf-8")

    code, out, err = ran("--text", "-", "--config", configuration, "--server", "badges", stdin=b"x")

    assert (code, out) == (1, b"")
    assert "custom_patterns" in err


def test_a_session_has_the_placeholders_that_services_with_this_key_write(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TARSY_MASKING_KEY", KEY)

    _, of_one, _ = ran("--text", log, "--session", "s-1")
    _, of_other, _ = ran("--text", log, "--session", "s-2")
    _, of_none, _ = ran("--text", log)

    assert of_one == Masker.default(KEY.encode()).for_session("s-1").mask(LOG).encode()
    assert len({of_one, of_other, of_none}) == 3
    assert re.search(rb"\[MASKED_PASSWORD_[0-9a-f]{8}\]", of_one)


@pytest.mark.parametrize(
    ("key", "said"), [("", "--session needs TARSY_MASKING_KEY"), ("short", "TARSY_MASKING_KEY is shorter than 16")]
)
def test_a_session_needs_a_key_that_services_would_take(
    log: Path, monkeypatch: pytest.MonkeyPatch, key: str, said: str
) -> None:
    monkeypatch.setenv("TARSY_MASKING_KEY", key)

    code, out, err = ran(log, "--session", "s-1")

    assert (code, out) == (1, b"")
    assert err.startswith(said)


def test_what_cannot_be_read_is_a_sentence_and_exit_code_1(tmp_path: Path, log: Path) -> None:
    packed = tmp_path / "app.log.gz"
    packed.write_bytes(b"\x1f\x8b\x08\x00\x00")
    huge = tmp_path / "huge.log"
    with huge.open("wb") as file:
        file.truncate(LARGEST + 1)

    for wrong, said in (
        (tmp_path / "missing.log", "No such file or directory"),
        (tmp_path, "Is a directory"),
        (packed, "is not text"),
        (huge, "too much"),
    ):
        code, out, err = ran(wrong)
        assert (code, out) == (1, b"")
        assert err.startswith(str(wrong))
        assert said in err
        assert len(err.splitlines()) == 1


def test_bytes_that_are_no_utf_8_do_not_hide_a_secret() -> None:
    code, out, _ = ran("--text", "-", stdin=b"gr\xfc\xdfe redis://:" + PASSWORD.encode() + b"@cache")

    assert code == 0
    assert out.decode() == "gr��e redis://:[MASKED_PASSWORD]@cache"


@pytest.mark.parametrize("form", ["--text", "--json"])
def test_a_text_that_cannot_be_masked_is_not_shown(log: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    def broken(*_: object) -> bytes:
        raise RuntimeError(PASSWORD)

    monkeypatch.setattr(Masker, "_mask_until_settled", broken)

    code, out, err = ran(form, log)

    assert code == 1
    assert out in (b"", REDACTED.encode())
    assert f"{log} could not be masked" in err
    assert PASSWORD not in err


def test_text_and_json_exclude_each_other(log: Path) -> None:
    code, out, err = ran("--text", "--json", log)

    assert (code, out, err) == (1, b"", "--text and --json exclude each other.\n")


def test_it_works_in_a_pipe_without_any_tarsy_running(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tarsy_cli", "mask", "--text", "-"]
    done = subprocess.run(
        command, input=LOG.encode(), capture_output=True, timeout=60, check=False, cwd=tmp_path, env=dict(os.environ)
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == Masker.default().mask(LOG).encode()
    assert list(tmp_path.iterdir()) == []
