"""`tarsy doctor`: how checks are run and told, and each thing that can be wrong around Kafka and PostgreSQL."""

import asyncio
import io
import json
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console
from typer.testing import CliRunner

from tarsy_cli.app import cli
from tarsy_cli.doctor.clock import check_clock
from tarsy_cli.doctor.configuration import check_configuration
from tarsy_cli.doctor.disk import check_disk
from tarsy_cli.doctor.findings import Check, CheckResult, NotCheckedError, failure, ok, warning
from tarsy_cli.doctor.report import DoctorReport, print_report
from tarsy_cli.doctor.runner import LimitedCheck, examine
from tarsy_cli.doctor.setup import Named, Setup, find_setup
from tarsy_cli.doctor.variables import check_variables
from tarsy_local.instance import Home, Instance, Process

NOTHING = Setup(home=Path("nowhere"), config_dir=Path("config"), environ={})
SECRET = "hush-hush"


def looked(check: Check, setup: Setup = NOTHING) -> list[CheckResult]:
    return asyncio.run(examine(setup, {"it": LimitedCheck(check, 60)}))


@pytest.fixture
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("TARSY_")]:
        monkeypatch.delenv(name)


async def fine(setup: Setup) -> AsyncIterator[CheckResult]:
    yield ok("It is fine.")


async def stuck(setup: Setup) -> AsyncIterator[CheckResult]:
    yield warning("It is slow.")
    await asyncio.Event().wait()


async def broken(setup: Setup) -> AsyncIterator[CheckResult]:
    yield ok("It begins.")
    raise KeyError(SECRET)


async def blind(setup: Setup) -> AsyncIterator[CheckResult]:
    raise NotCheckedError("There is nothing to see.", "Bring something.")
    yield


def test_no_check_stops_another() -> None:
    checks = {"stuck": stuck, "broken": broken, "blind": blind, "fine": fine}
    found = asyncio.run(examine(NOTHING, {name: LimitedCheck(one, 0.2) for name, one in checks.items()}))
    assert [(one.check, one.status, one.sentence) for one in found] == [
        ("stuck", "warning", "It is slow."),
        ("stuck", "failed", "The check did not end within 0.2 seconds."),
        ("broken", "failed", "The check itself failed (KeyError)."),
        ("blind", "not_checked", "There is nothing to see."),
        ("fine", "ok", "It is fine."),
    ]


@pytest.mark.parametrize(
    ("findings", "code"),
    [([ok("")], 0), ([ok(""), CheckResult(status="not_checked", sentence="")], 0), ([warning("")], 1),
     ([warning(""), failure("")], 2)],
)  # fmt: skip
def test_the_exit_code_is_that_of_the_worst_finding(findings: list[CheckResult], code: int) -> None:
    assert DoctorReport(findings=tuple(findings)).exit_code == code


def test_a_table_tells_what_to_do() -> None:
    out = io.StringIO()
    found = failure("It is\x1b[2J [red]down[/red].", "Start it.").model_copy(update={"check": "kafka"})
    print_report(DoctorReport(findings=(found,)), Console(file=out, color_system=None))
    assert [line.rstrip() for line in out.getvalue().splitlines()] == [
        "FAILED  kafka  It is�[2J [red]down[/red].",
        "               → Start it.",
        "1 failed.",
    ]


@pytest.mark.usefixtures("bare_environment")
def test_where_nothing_runs_the_command_says_what_it_could_not_look_at(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["doctor", "--json", "--home", str(tmp_path)])
    found = [CheckResult.model_validate(one) for one in json.loads(result.stdout)["findings"]]
    assert {one.check: one.status for one in found} == {
        "configuration": "ok", "variables": "ok", "kafka": "not_checked", "topics": "not_checked",
        "rights": "not_checked", "heads": "not_checked", "database": "not_checked", "clock": "not_checked",
        "disk": "ok", "models": "ok", "servers": "not_checked", "page": "not_checked",
        "hops": "not_checked",
    }  # fmt: skip
    assert result.exit_code == 0


def test_every_mistake_of_the_configuration_is_told_with_its_remedy(tmp_path: Path) -> None:
    (tmp_path / "tarsy.yaml").write_text("agents:\n  A:\n    mcp_servers: [none]\nnonsense: 1\n", "utf-8")
    found = looked(check_configuration, Setup(home=tmp_path, config_dir=tmp_path, environ={}))
    assert [one.status for one in found] == ["failed"] * len(found)
    assert {"tarsy.yaml:3", "tarsy.yaml:4"} <= {":".join(one.sentence.split(":")[:2]) for one in found}
    assert all(one.remedy for one in found)


def test_a_provider_without_a_key_is_a_mistake(tmp_path: Path) -> None:
    text = Path("config/tarsy.yaml").read_text("utf-8").replace("[gemini, openai, anthropic, scripted]", "gemini")
    (tmp_path / "tarsy.yaml").write_text(text.replace("../examples", str(Path("examples").resolve())), "utf-8")
    found = looked(check_configuration, Setup(home=tmp_path, config_dir=tmp_path, environ={}))
    assert [("has no API key" in one.sentence, "GEMINI_API_KEY" in one.remedy) for one in found] == [(True, True)]


@pytest.mark.usefixtures("bare_environment")
def test_wrong_settings_are_told_once_and_without_their_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TARSY_MASKING_KEY", "short-one")
    monkeypatch.setenv("TARSY_HTTP_PORT", "tcp://10.0.0.1:8080")
    found = looked(check_variables, Setup(home=Path(), config_dir=Path("config"), environ=os.environ))
    assert [(one.status, one.sentence.partition(":")[0]) for one in found] == [
        ("failed", "TARSY_HTTP_PORT"),
        ("failed", "TARSY_MASKING_KEY"),
    ]
    assert "short-one" not in str(found)


def test_a_variable_that_nothing_reads_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "tarsy.yaml").write_text("system: {github: {token_env: TARSY_GITHUB}}\n", "utf-8")
    names = ("TARSY_KAFAK", "TARSY_GITHUB", "TARSY_KAFKA", "TARSY_HOME", "TARSY_INGEST_SERVICE_HOST")
    setup = Setup(
        home=tmp_path, config_dir=tmp_path, environ=dict.fromkeys(names, SECRET), variables=frozenset({"TARSY_HOME"})
    )
    found = looked(check_variables, setup)
    assert [(one.status, one.sentence, one.remedy) for one in found] == [
        ("warning", "TARSY_KAFAK is set, but nothing reads it.", "Did you mean TARSY_KAFKA?")
    ]


@pytest.mark.parametrize(("free", "status"), [(10**8, "failed"), (10**9, "warning"), (10**10, "ok")])
def test_a_disk_is_judged_by_what_it_has_left(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, free: int, status: str
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free))
    (found,) = looked(check_disk, Setup(home=tmp_path / "not" / "there", config_dir=tmp_path, environ={}))
    assert (found.status, found.sentence.split()[0]) == (status, str(tmp_path))


def test_without_another_clock_the_clock_is_not_judged() -> None:
    assert [one.status for one in looked(check_clock)] == ["not_checked"]


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path / "home")
    own = [Process(service="kafka", pid=1), Process(service="postgresql", pid=2)]
    with home.occupied_by_new_instance():
        home.write(
            Instance(state="ready", pid=1, kafka="127.0.0.1:1", database=f"postgresql://t:{SECRET}@127.0.0.1:2/t",
                     api="http://127.0.0.1:3/api/v1", topic_prefix="mine", config_dir="/etc/tarsy", processes=own)
        )  # fmt: skip
        yield home


@pytest.mark.usefixtures("bare_environment")
def test_the_set_up_is_that_of_the_home_and_options_count_before_it(
    running: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TARSY_KAFKA_SECURITY_PROTOCOL", "SSL")
    around = {"TARSY_KAFKA": "theirs:9", "TARSY_DATABASE": "postgresql://theirs/t"}
    found = find_setup(running.folder, Path("config"), around, Named())
    assert found.bus is not None
    assert (found.bus.bootstrap, found.bus.topics.prefix, found.api) == (
        "127.0.0.1:1",
        "mine",
        "http://127.0.0.1:3/api/v1",
    )
    assert found.bus.security.protocol == "PLAINTEXT", "its own Kafka has no TLS"
    assert SECRET in found.database
    assert SECRET not in repr(found)
    given = find_setup(running.folder, Path("config"), around, Named(kafka="given:9", database="postgresql://given/t"))
    assert given.bus is not None
    assert (given.bus.bootstrap, given.bus.security.protocol) == ("given:9", "SSL")
    assert given.bus.topics.prefix == "tarsy", "that of the home is for its own Kafka"
    assert given.database == "postgresql://given/t"
    elsewhere = find_setup(running.folder, Path("config"), around, Named(url="http://far/api/v1"))
    assert elsewhere.bus is not None
    assert (elsewhere.bus.bootstrap, elsewhere.address) == ("theirs:9", "http://far")
    assert elsewhere.database == "postgresql://theirs/t"


@pytest.mark.usefixtures("bare_environment")
def test_the_configuration_is_that_of_the_tarsy_that_runs(running: Home, tmp_path: Path) -> None:
    around = {"TARSY_CONFIG_DIR": "/elsewhere"}
    assert find_setup(running.folder, None, around, Named()).config_dir == Path("/etc/tarsy")
    assert find_setup(running.folder, Path("given"), around, Named()).config_dir == Path("given")
    assert find_setup(tmp_path / "none", None, around, Named()).config_dir == Path("/elsewhere")
    assert find_setup(tmp_path / "none", None, {}, Named()).config_dir == Path("config")
