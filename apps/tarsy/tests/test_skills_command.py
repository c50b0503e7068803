"""Given a configuration with skills, when a person asks for them, then this is what is said."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tarsy_cli.app import cli
from tarsy_cli.skills.word_matches import match_skills
from tarsy_contracts.skills import Skill

PODS = Skill(name="pods", description="What to do when a pod is evicted", body="Look at the node.")
DISKS = Skill(name="disks", description="Full disks", body="Pods get evicted from such a node.")
WORDS = Skill(name="wörter", description="Unsere Sprache", body="Die Kasse.")
HOUSE = Skill(name="house", description="Our words", body="The shop is called Emma.")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tarsy.yaml").write_text("defaults: {llm_provider: google-default}\n", "utf-8")
    (tmp_path / "skills").mkdir()
    for skill in (PODS, DISKS, HOUSE):
        text = f"---\nname: {skill.name}\ndescription: {skill.description}\n---\n{skill.body}\n"
        (tmp_path / "skills" / f"{skill.name}.md").write_text(text, "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("pod is evicted", ["pods", "disks"]),
        ("eviction of pods", ["pods", "disks"]),
        ("disk", ["disks"]),
        ("evictions", ["pods", "disks"]),
        ("pods", ["pods", "disks"]),
        ("podium", []),
        ("Wörter", ["wörter"]),
        ("Emma", ["house"]),
        ("is the", []),
        ("", []),
    ],
)
def test_words_bring_up_skills_the_best_first(words: str, expected: list[str]) -> None:
    assert [one.skill.name for one in match_skills((HOUSE, DISKS, PODS, WORDS), words)] == expected


def test_the_command_says_what_an_agent_does_not_see_before_it_loads_a_skill(folder: Path) -> None:
    said = CliRunner().invoke(cli, ["skills", "match", "evicted", "--config", str(folder)])
    assert said.exit_code == 0
    assert said.output.splitlines()[0] == "pods: evicted"
    assert "disks: evicted; only in its text" in said.output


def test_the_list_has_file_size_and_agents_of_each(folder: Path) -> None:
    said = CliRunner().invoke(cli, ["skills", "--config", str(folder)])
    assert f"house (skills/house.md): {HOUSE.size} bytes\n  Our words\n" in said.output
    assert "agents: kubernetes / KubernetesAgent, kubernetes / ChatAgent" in said.output


def test_no_skill_at_all_is_said(tmp_path: Path) -> None:
    (tmp_path / "tarsy.yaml").write_text("defaults: {llm_provider: google-default}\n", "utf-8")
    assert "There are no skills" in CliRunner().invoke(cli, ["skills", "list", "--config", str(tmp_path)]).output
