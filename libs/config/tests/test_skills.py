"""Skills are part of the configuration: checked, masked, replaced while it runs, and named in the plan of a session."""

import os
from pathlib import Path

import pytest
from skill_world import PODS, load, mistakes, notes, skill, write

from tarsy_config.config import Config
from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.live_config import ConfigSource, LiveConfig
from tarsy_contracts.chain import ResolvedAgent


def agent_of(config: Config) -> ResolvedAgent:
    return config.plans[0].stages[0].agents[0]


def planned(config: Config) -> dict[str, bool]:
    return {skill.name: skill.required for skill in agent_of(config).skills}


@pytest.mark.parametrize(
    ("agent", "used", "expected"),
    [
        ("{}", "", {"a": False, "b": False, "c": False}),
        ("{skills: []}", "", {}),
        ("{skills: [a]}", "", {"a": False}),
        ("{skills: [a]}", ", skills: [b]", {"a": False, "b": False}),
        ("{skills: []}", ", required_skills: [c]", {"c": True}),
        ("{required_skills: [b]}", "", {"b": True, "a": False, "c": False}),
        ("{skills: [a, b], required_skills: [b]}", ", required_skills: [c]", {"b": True, "c": True, "a": False}),
        ("{}", ", skills: [b]", {"a": False, "b": False, "c": False}),
        ("{type: synthesis}", "", {}),
    ],
)
def test_an_agent_has_all_those_it_lists_and_those_its_stage_adds(
    tmp_path: Path, agent: str, used: str, expected: dict[str, bool]
) -> None:
    files = {f"skills/{name}.md": skill(name) for name in "abc"}
    assert planned(load(tmp_path, files, agent=agent, used=used)) == expected


@pytest.mark.parametrize(
    ("agent", "keys"),
    [("{skills: []}", ""), ("{}", "alert_types: [nobody]\n")],
)
def test_a_skill_that_no_agent_can_have_is_noted(tmp_path: Path, agent: str, keys: str) -> None:
    files = {"skills/pods.md": skill("pods", keys=keys)}
    config = load(tmp_path, files, agent=f"{agent}\n  ChatAgent: {{skills: []}}" if not keys else agent)
    assert notes(config) == ["skills/pods.md:1: no agent of any chain can have it"]


def test_masked_skills_have_the_digests_of_what_is_left(tmp_path: Path) -> None:
    body = "hunter2 [it](https://github.com/hunter2)"
    files = {"skills/pods/SKILL.md": skill("pods", body=body), "skills/pods/a.md": "hunter2"}
    config = load(tmp_path, files)
    masked = config.with_masked_skills(lambda text: text.replace("hunter2", "***"))
    (one,) = agent_of(masked).skills
    assert one.digest == masked.skills["pods"].skill.digest != config.skills["pods"].digest
    assert "hunter2" not in str(masked.skill_texts)


def test_the_plan_names_each_with_the_digest_of_what_it_says(tmp_path: Path) -> None:
    config = load(tmp_path, {"skills/pods.md": PODS})
    (one,) = agent_of(config).skills
    assert one.digest == config.skills["pods"].skill.digest


def test_an_unknown_skill_is_a_mistake_that_names_the_nearest(tmp_path: Path) -> None:
    (mistake,) = mistakes(tmp_path, {"skills/pods.md": PODS}, agent="{required_skills: [pod]}")
    assert mistake == "tarsy.yaml:4: agents.A.required_skills[0]: skills has no pod; did you mean pods?"


def test_a_required_skill_that_is_not_allowed_is_a_mistake(tmp_path: Path) -> None:
    files = {f"skills/{name}.md": skill(name) for name in "ab"}
    (mistake,) = mistakes(tmp_path, files, agent="{skills: [a], required_skills: [b]}")
    assert mistake.startswith("tarsy.yaml:4: agents.A.required_skills[0]: b is not in the agent's skills; add it there")


def test_skills_of_a_chain_that_do_not_fit_on_the_log_are_a_mistake(tmp_path: Path) -> None:
    files = {f"skills/s{n}/SKILL.md": skill(f"s{n}", body="x" * 60_000) for n in range(18)}
    (mistake,) = mistakes(tmp_path, files)
    assert "has skills of 108" in mistake


def test_sizes_are_those_of_the_log_where_a_control_character_takes_six_bytes(tmp_path: Path) -> None:
    files = {f"skills/s{n}/SKILL.md": skill(f"s{n}", body="\x01" * 60_000) for n in range(3)}
    (mistake,) = mistakes(tmp_path, files)
    assert "has skills of 108" in mistake


def test_the_version_is_another_one_for_other_skills_and_the_same_without_any(tmp_path: Path) -> None:
    none = load(tmp_path, {}).version
    one = load(tmp_path, {"skills/pods.md": PODS}).version
    other = load(tmp_path, {"skills/pods.md": PODS.replace("limits", "requests")}).version
    assert len({none, one, other}) == 3
    assert load(tmp_path, {"skills/pods.md": PODS}).version == one


async def test_a_changed_skill_holds_without_a_restart_and_one_with_a_mistake_does_not(tmp_path: Path) -> None:
    load(tmp_path, {"skills/pods/SKILL.md": PODS, "skills/pods/a.md": "A"})
    live = LiveConfig(ConfigSource(tmp_path, os.environ), lambda config, _: config.skills["pods"].skill)
    assert [await live.look(), await live.look()] == [False, False]
    write(tmp_path, {"skills/pods/a.md": "B"})
    assert [await live.look(), await live.look()] == [False, True]
    assert live.current.files[0].text == "B"
    write(tmp_path, {"skills/pods/SKILL.md": "no frontmatter"})
    assert [await live.look(), await live.look()] == [False, False]
    assert "skills/pods/SKILL.md:1" in live.explain_degraded()[0]
    assert live.current.files[0].text == "B"


async def test_a_checkout_that_is_swapped_while_we_read_it_is_not_taken(tmp_path: Path) -> None:
    """As git-sync does it: the folder is a link, and another one is renamed over it."""
    later = PODS.replace("limits", "requests")
    write(tmp_path, {"one/pods/SKILL.md": PODS, "two/pods/SKILL.md": later, "two/pods/a.md": "B"})

    def swap(checkout: str) -> None:
        (tmp_path / "next").symlink_to(checkout)
        (tmp_path / "next").rename(tmp_path / "git")

    meanwhile = ["", "one", ""]

    def read(config: Config, _: str | None) -> str:
        if checkout := meanwhile.pop(0):
            swap(checkout)
        return config.skills["pods"].skill.body

    swap("one")
    load(tmp_path, {}, more="skill_folders: [git]")
    live = LiveConfig(ConfigSource(tmp_path, os.environ), read)
    swap("two")
    assert [await live.look(), await live.look()] == [False, False]
    assert (live.current, meanwhile) == ("Look at limits.", [""])
    swap("two")
    assert await live.look()
    assert live.current == "Look at requests."


async def test_a_skill_with_a_mistake_is_looked_at_until_it_is_mended_wherever_it_lies(tmp_path: Path) -> None:
    load(tmp_path, {})
    live = LiveConfig(ConfigSource(tmp_path, os.environ), lambda config, _: sorted(config.skills))
    write(tmp_path, {"git/pods.md": "---\nname: pods\n---\n"})
    with pytest.raises(InvalidConfigError):
        load(tmp_path, {}, more="skill_folders: [git]")
    assert [await live.look(), await live.look()] == [False, False]
    write(tmp_path, {"git/pods.md": PODS})
    assert [await live.look(), await live.look(), live.current] == [False, True, ["pods"]]
