"""The chart renders, and Kubernetes would take what comes out."""

import json
import shutil
from collections import Counter
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import kubernetes_validate
import pytest
import yaml

from tarsy_testing.chart import CHART, VALUE_FILES, at, helm, rendered, template, values_of

CUSTOM = {file.stem: json.loads(file.read_text("utf-8")) for file in (Path(__file__).parent / "schemas").glob("*.json")}
OLDEST, NEWEST = "1.30", "1.37"


@pytest.mark.parametrize("name", VALUE_FILES)
def test_helm_finds_nothing_to_blame(name: str) -> None:
    done = helm("lint", "--strict", CHART, "--values", values_of(name))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "[WARNING]" not in done.stdout


@pytest.mark.parametrize(("name", "version"), [("everything", OLDEST), *((name, NEWEST) for name in VALUE_FILES)])
def test_each_manifest_fits_the_schema_of_its_kind(name: str, version: str) -> None:
    for manifest in rendered(name):
        kind = str(manifest["kind"])
        if kind in CUSTOM:
            jsonschema.Draft202012Validator(CUSTOM[kind]).validate(manifest)
        else:
            kubernetes_validate.validate(manifest, version, strict=True)


@pytest.mark.parametrize("name", VALUE_FILES)
def test_no_two_manifests_have_one_name(name: str) -> None:
    seen = Counter((one["apiVersion"], one["kind"], at(one, "metadata.name", str)) for one in rendered(name))
    assert [each for each, times in seen.items() if times > 1] == []


def test_the_names_fit_where_the_release_has_a_long_one() -> None:
    long = "--set=nameOverride=" + "an-investigator" * 4
    for one in rendered("default", long):
        assert len(at(one, "metadata.name", str)) <= 63


NOTES_AS_MANIFEST = """{{{{ define "notes" }}}}{notes}{{{{ end }}}}
kind: Notes
text: {{{{ include "notes" . | quote }}}}
"""


def test_notes_say_what_to_do_next(tmp_path: Path) -> None:
    chart = shutil.copytree(CHART, tmp_path / "tarsy")
    notes = chart / "templates" / "NOTES.txt"
    # helm shows the notes to nobody who has no cluster.
    (chart / "templates" / "notes.yaml").write_text(NOTES_AS_MANIFEST.format(notes=notes.read_text("utf-8")), "utf-8")
    only = ("--show-only", "templates/notes.yaml", "--namespace", "sre")
    for name, told in (
        ("default", "port-forward service/prod-tarsy-websocket-gateway"),
        ("everything", "https://tarsy.example"),
    ):
        done = helm("template", "prod", chart, "--values", values_of(name), *only)
        assert done.returncode == 0, done.stderr
        text = at(yaml.safe_load(done.stdout), "text", str)
        assert "helm test prod --namespace sre --logs" in text
        assert told in text
        assert ("Nobody is authenticated" in text) == (name == "default")
        assert ("Authorization: Bearer $TARSY_API_KEY" in text) == (name == "everything")
        assert ("log in at the page" in text) == (name == "everything")
        assert ("Prometheus does not know" in text) == (name == "default")


def test_a_chart_without_its_values_says_which_it_needs() -> None:
    done = template("default", "--set=kafka.bootstrapServers=")
    assert done.returncode != 0
    assert "kafka.bootstrapServers must be set" in done.stderr
