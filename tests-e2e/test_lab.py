"""`tarsy lab run`: every incident of the lab, at the same time, on one TARSy."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tarsy_lab.incidents import read_incident
from tarsy_testing.story.incident import EVERY_INCIDENT, INCIDENTS
from tarsy_testing.system.service_forks import ServiceForks
from tarsy_testing.system.up import Tarsy, tarsy

SEEN = {
    "connection-exhaustion": "kubernetes.helm_rollback(namespace=fulfilment, name=fulfilment-settings, revision=17)",
    "crash-loop": "← kubernetes.pods_log: ok, 100,000 lines, 10.8 MB",
    "expired-certificate": "← kubernetes.pods_log: ok, 23,987 lines",
    "quota-blocked-rollout": "→ kubernetes.pods_delete(namespace=warehouse, name=stock-reindex-29918280-tz4lf)",
}

LOADED = {"expired-certificate": 2, "connection-exhaustion": 1}
"""Parts of skills that an agent reads."""

ANSWERED = {
    "connection-exhaustion": "No. Deployment `shipping` takes all of them",
    "crash-loop": "is revision 30 of the Deployment and has 2 of 2 pods",
    "expired-certificate": "No. ClusterIssuer `letsencrypt-dns` is Ready",
    "quota-blocked-rollout": "Yes. Job `stock-reindex-29918250` is active",
}


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory, forks: ServiceForks) -> Iterator[Tarsy]:
    folder = tmp_path_factory.mktemp("lab")
    with tarsy(folder / "one", forks=forks) as running:
        running.up()
        yield running
    shutil.rmtree(folder, ignore_errors=True)


def test_every_incident_is_investigated_to_its_root_cause(one: Tarsy) -> None:
    runs = {folder.name: one.start("lab", "run", folder.name, "--yes") for folder in EVERY_INCIDENT}
    assert runs.keys() == SEEN.keys()
    for name, run in runs.items():
        assert run.wait(120) == 0, run.output
        assert f"Sent {Path('examples/incidents') / name / 'alert.json'}." in run.output
        assert SEEN[name] in run.output
        assert run.output.count("tarsy.load_skill: ok,") == LOADED.get(name, 0), run.output
        assert run.output.count("final analysis") == run.output.count("executive summary") == 1, run.output
        assert "session: completed" in run.output
        investigation, _, chat = run.output.partition(f"\n> {read_incident(INCIDENTS / name).question}\n")
        last = investigation.splitlines()[-1]
        assert last.startswith("names the root cause: 4 of 4 marks ("), run.output
        assert "← kubernetes.resources_get: ok" in chat, run.output
        assert ANSWERED[name] in chat, run.output


def test_a_session_that_fails_names_no_root_cause_and_ends_the_command_with_1(one: Tarsy, tmp_path: Path) -> None:
    """An alert that no script knows, under the name of an incident."""
    folder = tmp_path / "full-disk"
    folder.mkdir()
    for file in ("incident.yaml", "alert.json"):
        text = (INCIDENTS / "crash-loop" / file).read_text("utf-8")
        folder.joinpath(file).write_text(text.replace("crash-loop", "full-disk").replace("KubePodCrashLooping", "Full"))
    code, output = one.run("lab", "run", "full-disk", "--incidents", str(tmp_path))
    assert code == 1, output
    assert "session: failed" in output
    assert "needs ['KubePodCrashLooping']" in output
    assert "crash-loop/script.yaml:4)" in output
    assert "names the root cause" not in output
