"""A configuration with skills, written into a folder: what is loaded of it, and what is said of it."""

from pathlib import Path

import pytest

from tarsy_config.config import Config
from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config

CONFIG = """\
defaults: {{llm_provider: scripted}}
llm_providers: {{scripted: {{type: scripted, script: script.yaml}}}}
agents:
  A: {agent}
agent_chains:
  k: {{alert_types: [kubernetes], stages: [{{name: s, {stage}agents: [{{name: A{used}}}]}}]}}
{more}
"""
PODS = "---\nname: pods\ndescription: When pods restart\n---\n\nLook at limits.\n"


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def skill(name: str, *, keys: str = "", body: str = "Look.") -> str:
    return f"---\nname: {name}\ndescription: About {name}\n{keys}---\n{body}\n"


def load(
    folder: Path, files: dict[str, str], *, agent: str = "{}", stage: str = "", used: str = "", more: str = ""
) -> Config:
    write(folder, {"script.yaml": "", **files})
    (folder / "tarsy.yaml").write_text(CONFIG.format(agent=agent, stage=stage, used=used, more=more), "utf-8")
    return load_config(folder, {})


def mistakes(folder: Path, files: dict[str, str], **words: str) -> list[str]:
    with pytest.raises(InvalidConfigError) as caught:
        load(folder, files, **words)
    return [str(mistake) for mistake in caught.value.mistakes]


def notes(config: Config) -> list[str]:
    return [str(note) for note in config.notes]
