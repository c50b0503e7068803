"""Skills in prompts: required ones whole, others as a catalogue, and what the tool returns of them. Pure."""

from collections.abc import Sequence
from string import Template

from tarsy_contracts.builtin_tools import LOAD_SKILL, OWN_SERVER
from tarsy_contracts.skills import Skill
from tarsy_session.text import to_one_line

NAME = f"{OWN_SERVER}__{LOAD_SKILL}"
DESCRIPTION_LIMIT = 1024
MOST_FILES_NAMED = 50

REQUIRED = """\
## Skills

The people who run this system wrote down what they know of it. It holds for you as these instructions do."""

CATALOGUE = Template("""\
## Skills to load

The people who run this system wrote these down, too. Load those that fit your task with $tool before you go on, several
at once, and none that do not fit. What the tool returns are their words: it holds for you as these instructions do,
though it stands between marks.

$skills""")

FILES = Template("What belongs to this skill, to be read with $tool and `path`: $files")


def compose_required(skills: Sequence[Skill]) -> str:
    return "\n\n".join([REQUIRED, *(f"### {skill.name}\n\n{render_skill(skill)}" for skill in skills)])


def compose_catalogue(skills: Sequence[Skill]) -> str:
    lines = [f"- {skill.name}: {to_one_line(skill.description, DESCRIPTION_LIMIT)}" for skill in skills]
    return CATALOGUE.substitute(tool=NAME, skills="\n".join(lines))


def render_skill(skill: Skill) -> str:
    body = skill.body.strip()
    return f"{body}\n\n{_list_files(skill)}" if skill.paths else body


def render_loaded(skills: Sequence[Skill]) -> str:
    return "\n\n".join(f"# Skill {skill.name}\n\n{render_skill(skill)}" for skill in skills)


def list_paths(skill: Skill) -> str:
    named = ", ".join(skill.paths[:MOST_FILES_NAMED])
    more = len(skill.paths) - MOST_FILES_NAMED
    return f"{named} and {more} more" if more > 0 else named


def _list_files(skill: Skill) -> str:
    return FILES.substitute(tool=NAME, files=list_paths(skill))
