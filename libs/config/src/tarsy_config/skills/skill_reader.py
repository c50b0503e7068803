"""Reading of all skills, with their mistakes and notes. The first folder that has a name wins."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from tarsy_config.errors import ConfigError, Mistake, Note
from tarsy_config.skills.configured_skill import ConfiguredSkill
from tarsy_config.skills.frontmatter import Frontmatter, InvalidSkillError, has_frontmatter, parse_skill
from tarsy_config.skills.links import find_broken_links
from tarsy_config.skills.skill_files import (
    FILE_BYTES,
    MOST_FILES,
    MOST_SKILLS,
    SkillSource,
    find_files,
    find_sources,
    is_inside,
    read_bytes,
)
from tarsy_contracts.skills import Skill, SkillFile


class LeftOutError(ConfigError):
    """A further file of a skill cannot be read by agents. The operator looks at the note."""


SHORTER = f"keep it below {FILE_BYTES} bytes; an agent reads further files one by one"


@dataclass(slots=True)
class FoundSkills:
    skills: dict[str, ConfiguredSkill] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def link_runbooks(self, domains: Collection[str]) -> dict[str, ConfiguredSkill]:
        return {name: one.link_runbooks(domains) for name, one in self.skills.items()}


def read_skills(config_dir: Path, folders: Sequence[str]) -> FoundSkills:
    found = FoundSkills()
    for name in folders:
        for source in islice(find_sources(config_dir / name), MOST_SKILLS + 1):
            _SkillReader(name, config_dir / name, source, _shown(config_dir, source.main), found).read()
    if len(found.skills) > MOST_SKILLS:
        problem = f"has more than {MOST_SKILLS} skills"
        found.mistakes.append(Mistake(", ".join(folders), None, "", problem, "take out those that nobody reads"))
    return found


@dataclass(frozen=True, slots=True)
class _SkillReader:
    """One skill of the folder `name`, which lies at `root`."""

    name: str
    root: Path
    source: SkillSource
    file: str
    found: FoundSkills

    def read(self) -> None:
        try:
            text = self._main()
            if self.source.folder is None and not has_frontmatter(text):
                self._note(1, "", "is no skill: it has no frontmatter")
                return
            header = parse_skill(text)
        except InvalidSkillError as wrong:
            self.found.mistakes.append(Mistake(self.file, wrong.line, wrong.path, wrong.problem, wrong.remedy))
            return
        earlier = self.found.skills.get(header.name)
        if earlier is not None:
            self._judge_second(header, earlier)
            return
        files = self._files()
        skill = Skill(
            name=header.name,
            description=header.description,
            body=header.body,
            tools=header.tools,
            alert_types=header.alert_types,
            files=files,
        )
        self.found.skills[skill.name] = ConfiguredSkill(skill, skill.digest, self.file, self.name)
        self._note_name(header)
        for line, target in find_broken_links(header, {file.path for file in files}):
            self._note(line, "", f"links to {target}, which agents cannot read: it is no text file of this skill")

    def _main(self) -> str:
        """Raises InvalidSkillError."""
        if not is_inside(self.source.main, self.root):
            raise InvalidSkillError(1, "", f"leads out of {self.name}", "put the file itself there")
        try:
            content = read_bytes(self.source.main)
            text = content.decode()
        except OSError as problem:
            raise InvalidSkillError(1, "", f"cannot be read ({problem.strerror})", "let us read it") from None
        except UnicodeDecodeError:
            raise InvalidSkillError(1, "", "is not UTF-8 text", "save it as UTF-8") from None
        if len(content) > FILE_BYTES:
            raise InvalidSkillError(1, "", f"has more than {FILE_BYTES} bytes", SHORTER)
        return text

    def _files(self) -> tuple[SkillFile, ...]:
        """Those that agents can read. Others are noted: a picture beside a text is no mistake."""
        folder = self.source.folder
        if folder is None:
            return ()
        paths = list(islice(find_files(folder), MOST_FILES + 1))
        if len(paths) > MOST_FILES:
            self._note(1, "", f"has more than {MOST_FILES} further files: agents can read the first of them")
        return tuple(file for path in paths[:MOST_FILES] if (file := self._further(folder, path)) is not None)

    def _further(self, folder: Path, path: Path) -> SkillFile | None:
        shown = path.relative_to(folder).as_posix()
        try:
            return SkillFile(path=shown, text=_text_of(folder, path))
        except LeftOutError as problem:
            self._note(1, shown, f"{problem}, and is left out")
            return None

    def _judge_second(self, header: Frontmatter, earlier: ConfiguredSkill) -> None:
        """In the same folder nobody could say which is meant. One of another folder is meant to be replaced."""
        line = header.lines["name"]
        if earlier.folder == self.name:
            problem = f"is the name of {earlier.file}, too"
            self.found.mistakes.append(Mistake(self.file, line, "name", problem, "give each its own"))
        else:
            self._note(line, "name", f"is shadowed: {earlier.file} has this name, and its folder comes first")

    def _note_name(self, header: Frontmatter) -> None:
        main, folder = self.source.main, self.source.folder
        own = main.stem if folder is None else folder.name
        if own != header.name:
            self._note(
                header.lines["name"], "name", f"is not that of its place, {own}: agents know it as {header.name}"
            )

    def _note(self, line: int, path: str, sentence: str) -> None:
        self.found.notes.append(Note(self.file, line, path, sentence))


def _text_of(folder: Path, path: Path) -> str:
    """Raises LeftOutError."""
    if not is_inside(path, folder):
        raise LeftOutError("leads out of the skill's folder")
    try:
        content = read_bytes(path)
        text = content.decode()
    except OSError as problem:
        raise LeftOutError(f"cannot be read ({problem.strerror})") from None
    except UnicodeDecodeError:
        raise LeftOutError("is no text") from None
    if len(content) > FILE_BYTES:
        raise LeftOutError(f"has more than {FILE_BYTES} bytes")
    return text


def _shown(config_dir: Path, path: Path) -> str:
    return path.relative_to(config_dir).as_posix() if path.is_relative_to(config_dir) else path.as_posix()
