"""The version of a configuration says whether two processes run by the same one, and no secret."""

from pathlib import Path

import pytest
from pydantic import BaseModel, SecretStr

from tarsy_config.loading.load import load_config
from tarsy_config.loading.version import SECRETS
from tarsy_config.sections.providers import LlmProvider
from tarsy_config.sections.transports import Transport

GOOD = """\
mcp_servers:
  kubernetes:
    transport:
      type: stdio
      command: python
      args: ["-m", "{{.MODULE}}"]
      env: {TOKEN: "{{.KUBE_TOKEN}}"}
agents:
  A: {mcp_servers: [kubernetes]}
agent_chains:
  one:
    alert_types: [kubernetes]
    stages:
      - name: look
        agents: [{name: A, llm_provider: scripted, max_iterations: 12}]
"""
PROVIDERS = "llm_providers:\n  scripted: {type: scripted, script: script.yaml}\n"
ENVIRON = {"MODULE": "lab", "KUBE_TOKEN": "hunter2"}
KEY = '    api_key: "{}"\n'
REMOTE = "  remote:\n    type: openai\n    model: m\n"


def version(folder: Path, main: str = GOOD, providers: str = PROVIDERS, **environ: str) -> str:
    (folder / "tarsy.yaml").write_text(main, encoding="utf-8")
    (folder / "llm-providers.yaml").write_text(providers, encoding="utf-8")
    (folder / "script.yaml").touch()
    return load_config(folder, {**ENVIRON, **environ}).version


def test_it_is_the_same_for_the_same_rules(tmp_path: Path) -> None:
    one = version(tmp_path)
    assert len(one) == 12
    assert version(tmp_path, "# a comment\n\n" + GOOD) == one
    assert version(tmp_path, KUBE_TOKEN="another secret") == one


@pytest.mark.parametrize(
    "change",
    [
        ("max_iterations: 12", "max_iterations: 13"),
        ("{{.MODULE}}", "{{.OTHER}}"),
        ("[kubernetes]\n    stages", "[kubernetes, other]\n    stages"),
        ("    stages:\n", "    chat: {}\n    stages:\n"),
    ],
)
def test_it_is_another_one_for_other_rules(tmp_path: Path, change: tuple[str, str]) -> None:
    one = version(tmp_path)
    assert change[0] in GOOD
    assert version(tmp_path, GOOD.replace(*change), OTHER="lab") != one


def test_it_says_nothing_of_a_secret_that_stands_in_the_file(tmp_path: Path) -> None:
    keys = {version(tmp_path, providers=PROVIDERS + REMOTE + KEY.format(key)) for key in ("one", "two")}
    tokens = {version(tmp_path, GOOD.replace('"{{.KUBE_TOKEN}}"', token)) for token in ("one", "two")}
    assert (len(keys), len(tokens)) == (1, 1)


@pytest.mark.parametrize("section", [LlmProvider, Transport])
def test_every_key_that_is_typed_a_secret_is_known(section: type[BaseModel]) -> None:
    secret = {name for name, field in section.model_fields.items() if SecretStr.__name__ in repr(field.annotation)}
    assert secret
    assert secret <= {pattern[-1] for pattern in SECRETS}


def test_a_plan_has_the_version_of_its_configuration(tmp_path: Path) -> None:
    one = version(tmp_path)
    config = load_config(tmp_path, ENVIRON)
    assert config.chain_for("kubernetes").config_version == one == config.version
