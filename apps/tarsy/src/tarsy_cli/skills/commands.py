"""`tarsy skills list` and `tarsy skills match`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tarsy_cli.console.terminal import fail, say

if TYPE_CHECKING:
    from tarsy_config.skills.configured_skill import ConfiguredSkill

ConfigPath = Annotated[Path, typer.Option("--config", help="tarsy.yaml, or its folder", envvar="TARSY_CONFIG_DIR")]


def list_skills(config: ConfigPath = Path("config")) -> None:
    """List the skills of a configuration: where each one is, how long it is, and which agents may have it."""
    from tarsy_cli.config.commands import read_config
    from tarsy_config.checks.skills import find_readers

    found = read_config(config)
    for name, readers in find_readers(found, found.plans).items():
        for line in skill_lines(found.skills[name], readers):
            say(line)
    if not found.skills:
        say(f"There are no skills in {', '.join(found.skill_folders)} beside tarsy.yaml.")


def match(
    words: Annotated[str, typer.Argument(help='what an agent would be after, such as "pod is evicted"')],
    config: ConfigPath = Path("config"),
) -> None:
    """Show which skills these words find, best first. No model is asked.

    The exit code is 1 when there is none.
    """
    from tarsy_cli.config.commands import read_config
    from tarsy_cli.skills.word_matches import match_skills

    matched = match_skills(read_config(config).skill_texts, words)
    if not matched:
        raise fail("No skill has any of these words.")
    for one in matched:
        unseen = "" if one.told else "; only in its text, which an agent sees after it has loaded the skill"
        say(f"{one.skill.name}: {', '.join(one.words)}{unseen}")
        say(f"  {one.skill.description}")


def skill_lines(one: "ConfiguredSkill", readers: list[str]) -> list[str]:
    skill = one.skill
    count = len(skill.files)
    files = f", {count} further {'file' if count == 1 else 'files'}" if count else ""
    lines = [f"{skill.name} ({one.file}): {skill.size} bytes{files}", f"  {skill.description}"]
    if skill.tools:
        lines.append(f"  for agents with one of these tools: {', '.join(skill.tools)}")
    if skill.alert_types:
        lines.append(f"  for these types of alerts: {', '.join(skill.alert_types)}")
    return [*lines, f"  agents: {', '.join(readers) or 'none'}"]
