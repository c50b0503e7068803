"""Given a tarsy.yaml, when a server of the cookbook is added, then the file is right, and all that was in it stays."""

import re
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from tarsy_cli.app import cli
from tarsy_cli.servers.cookbook import read_cookbook
from tarsy_cli.servers.insertion import ServerNotAddedError, insert_server
from tarsy_config.document.templates import variables
from tarsy_config.loading.load import load_config

ENTRY = "transport:\n  type: stdio\n  command: x   # why\nallow: []\n"
SYSTEMS = {
    "kubernetes", "prometheus", "loki", "grafana", "opensearch", "datadog", "new-relic", "github", "gitlab", "argocd",
    "aws", "gcp", "azure", "pagerduty", "slack", "postgres", "kafka",
}  # fmt: skip
PINS = Path(__file__).parents[3] / "tests-support/tarsy_testing/servers/mcp_pins"
BASE = "# ours\ndefaults: {llm_provider: google-default}\n"
ADDED_TO = {
    "nothing": "",
    "no section": "a: 1",
    "a section that is empty": "mcp_servers:\nb: 2\n",
    "empty braces": "mcp_servers: {}   # none\nb: 2\n",
    "comments behind it": "mcp_servers:\n  k:\n    transport: {type: stdio}  # c\n\n# about agents\nagents: {}\n",
    "a wider indent": "mcp_servers:\n    k:\n        instructions: |\n            one\n\n\nagents: {}\n",
    "lists that are not indented": "mcp_servers:\n  k:\n    allow:\n    - a\n    - b",
    "the lines of Windows": "mcp_servers:\r\n  k: {}\r\nagents: {}\r\n",
}
REFUSED = {
    "the name is taken": "mcp_servers:\n  new: {}\n",
    "one line": "mcp_servers: {k: {transport: {}}}\n",
    "lines that count": "mcp_servers:\n  k:\n    instructions: |+\n      one\n\n\nagents: {}\n",
    "a list": "- 1\n",
    "no YAML": "a: [\n",
    "an ended document": "---\nagents: {}\n...\n",
}


@pytest.mark.parametrize("text", ADDED_TO.values(), ids=ADDED_TO.keys())
def test_an_entry_is_added_and_every_line_stays(text: str) -> None:
    changed = insert_server(text, "new", ENTRY)
    before = yaml.safe_load(text) or {}
    servers = (before.get("mcp_servers") or {}) | {"new": yaml.safe_load(ENTRY)}
    assert yaml.safe_load(changed) == before | {"mcp_servers": servers}
    assert [line for line in text.splitlines() if line not in changed.splitlines() and "{}   #" not in line] == []
    assert "# why" in changed
    assert ("\r\n" in text) == ("\r\n" in changed)


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_added_to_is_refused(text: str) -> None:
    with pytest.raises(ServerNotAddedError):
        insert_server(text, "new", ENTRY)


def test_the_cookbook_has_each_system() -> None:
    assert set(read_cookbook()) == SYSTEMS


@pytest.mark.parametrize("system", sorted(SYSTEMS))
def test_each_entry_passes_the_check_and_names_its_variables(
    system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = read_cookbook()[system]
    assert set(variables(recipe.server)) == set(recipe.variables)
    (tmp_path / "tarsy.yaml").write_text(BASE, "utf-8")
    said = CliRunner().invoke(cli, ["servers", "add", system, "--as", "mine", "--config", str(tmp_path)])
    assert said.exit_code == 0, said.output
    assert all(name in said.output for name in recipe.variables)
    for name in recipe.variables:
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    config = load_config(tmp_path, dict.fromkeys(recipe.variables, "http://127.0.0.1:9"))
    assert config.mcp_servers["mine"].allow is None
    assert CliRunner().invoke(cli, ["config", "check", str(tmp_path)]).exit_code == 0
    assert (tmp_path / "tarsy.yaml").read_text("utf-8").startswith(BASE)


@pytest.mark.parametrize("system", sorted(SYSTEMS))
def test_an_entry_starts_the_version_that_it_names_and_says_truly_whether_it_was_tried(system: str) -> None:
    recipe = read_cookbook()[system]
    if recipe.package.startswith("hosted by"):
        assert recipe.tested == "configuration checked"
        return
    registry, package, version, *_ = recipe.package.split()
    assert f"{package}{'@' if registry == 'npm' else '=='}{version}" in recipe.server
    files = ("package.json", "cookbook/package.json", "today.in", "before.in")
    pinned = "".join((PINS / file).read_text("utf-8") for file in files)
    tried = re.search(rf'"{package}(-linux-amd64)?": "{version}"|^{package}=={version}$', pinned, re.MULTILINE)
    assert (tried is not None) == (recipe.tested == "started and asked")


def test_a_taken_name_leaves_the_file_and_says_why(tmp_path: Path) -> None:
    file = tmp_path / "tarsy.yaml"
    text = f"{BASE}mcp_servers:\n  grafana: {{transport: {{type: stdio, command: x}}}}\n"
    file.write_text(text, "utf-8")
    said = CliRunner().invoke(cli, ["servers", "add", "grafana", "--config", str(file)])
    assert said.exit_code == 1
    assert "a server grafana is there already: choose another name with --as" in " ".join(said.output.split())
    assert file.read_text("utf-8") == text
    assert [one.name for one in tmp_path.iterdir()] == ["tarsy.yaml"]


def test_without_a_name_the_systems_are_listed() -> None:
    said = CliRunner().invoke(cli, ["servers", "add"])
    assert said.exit_code == 0
    assert [line.split()[0] for line in said.output.splitlines()] == sorted(SYSTEMS)


def test_an_unknown_system_is_told_those_that_there_are() -> None:
    said = CliRunner().invoke(cli, ["servers", "add", "nagios"])
    assert said.exit_code == 1
    assert "kubernetes" in said.output
