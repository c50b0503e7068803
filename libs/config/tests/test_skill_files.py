"""Files of skills: which are read, and what is said of the others, with file and line."""

import os
from pathlib import Path

import pytest
from skill_world import PODS, load, mistakes, notes, skill, write

from tarsy_config.skills.content_digest import digest_of_folders
from tarsy_config.skills.skill_files import FILE_BYTES


def test_a_folder_and_a_flat_file_are_skills(tmp_path: Path) -> None:
    files = {"skills/pods/SKILL.md": PODS, "skills/disks.md": skill("disks"), "skills/nets": skill("nets")}
    config = load(tmp_path, {**files, "skills/README.md": "Ours.", "skills/drafts/notes.md": "x"})
    assert list(config.skills) == ["disks", "nets", "pods"]
    assert config.skills["pods"].skill.body == "Look at limits."
    assert config.skills["pods"].file == "skills/pods/SKILL.md"
    assert notes(config) == []


def test_a_mounted_configmap_is_read_through_its_links(tmp_path: Path) -> None:
    write(tmp_path, {"skills/..2026/pods.md": PODS})
    (tmp_path / "skills/..data").symlink_to("..2026")
    (tmp_path / "skills/pods.md").symlink_to("..data/pods.md")
    assert list(load(tmp_path, {}).skills) == ["pods"]


def test_further_files_of_a_folder_are_read_by_their_paths(tmp_path: Path) -> None:
    files = {"skills/pods/SKILL.md": PODS, "skills/pods/references/oom.md": "Kills.", "skills/pods/.git/x": "no"}
    (file,) = load(tmp_path, files).skills["pods"].skill.files
    assert (file.path, file.text) == ("references/oom.md", "Kills.")


def test_a_file_without_frontmatter_beside_skills_is_none_and_noted(tmp_path: Path) -> None:
    """A git checkout has such files."""
    files = {"skills/pods/SKILL.md": PODS, "skills/CONTRIBUTING.md": "# How to\n", "skills/Makefile": "all:\n"}
    config = load(tmp_path, files)
    assert list(config.skills) == ["pods"]
    assert notes(config) == [
        f"skills/{name}:1: is no skill: it has no frontmatter" for name in ("CONTRIBUTING.md", "Makefile")
    ]


def test_blank_lines_before_the_frontmatter_are_read_over_and_lines_count_from_the_first(tmp_path: Path) -> None:
    config = load(tmp_path, {"skills/pods/SKILL.md": f"\n\n{PODS}[gone](gone.md)\n"})
    assert config.skills["pods"].skill.body.startswith("Look at limits.")
    assert notes(config)[0].startswith("skills/pods/SKILL.md:9: links to gone.md")


@pytest.mark.parametrize("place", ["pods/pipe", "pipe.md"])
def test_nobody_waits_for_a_pipe_among_skills(tmp_path: Path, place: str) -> None:
    write(tmp_path, {"skills/pods/SKILL.md": PODS})
    os.mkfifo(tmp_path / "skills" / place)
    assert list(load(tmp_path, {}).skills) == ["pods"]
    assert digest_of_folders(tmp_path, ["skills"])


@pytest.mark.parametrize(
    ("link", "domains", "expected"),
    [
        ("https://wiki.corp.example/disks#nfs", "[wiki.corp.example]", ("https://wiki.corp.example/disks",)),
        ("https://wiki.corp.example/disks", "[github.com]", ()),
        ("https://ann:pw@wiki.corp.example/disks", "[wiki.corp.example]", ()),
        ("ftp://wiki.corp.example/disks", "[wiki.corp.example]", ()),
    ],
)
def test_runbooks_that_a_skill_links_to_can_be_read_where_runbooks_may_come_from(
    tmp_path: Path, link: str, domains: str, expected: tuple[str, ...]
) -> None:
    more = f"system: {{runbooks: {{allowed_domains: {domains}}}}}"
    for place in ("SKILL.md", "more.md"):
        files = {
            "skills/pods/SKILL.md": PODS,
            "skills/pods/more.md": "x",
            f"skills/pods/{place}": f"{PODS}[it]({link})",
        }
        config = load(tmp_path, files, more=more)
        assert config.skills["pods"].skill.runbooks == expected
        assert notes(config) == []


@pytest.mark.parametrize("target", ["../secret.txt", "/etc/hostname", "../other"])
def test_links_that_lead_out_of_a_skill_are_left_out_and_noted(tmp_path: Path, target: str) -> None:
    write(tmp_path, {"skills/pods/SKILL.md": PODS, "skills/secret.txt": "hunter2", "skills/other/key.md": "hunter2"})
    (tmp_path / "skills/pods/near").symlink_to(target)
    config = load(tmp_path, {})
    assert config.skills["pods"].skill.files == ()
    assert all("leads out of the skill's folder, and is left out" in note for note in notes(config))
    assert notes(config)


@pytest.mark.parametrize("link", ["pods/SKILL.md", "pods", "pods.md"])
def test_a_skill_whose_text_lies_elsewhere_is_a_mistake(tmp_path: Path, link: str) -> None:
    """A checkout of strangers could show agents any file that we may read."""
    write(tmp_path, {"secret/SKILL.md": PODS})
    place = tmp_path / "skills" / link
    place.parent.mkdir(parents=True)
    place.symlink_to(tmp_path / ("secret" if link == "pods" else "secret/SKILL.md"))
    (mistake,) = mistakes(tmp_path, {})
    assert "leads out of skills; put the file itself there" in mistake


def test_a_link_that_contains_itself_has_an_end(tmp_path: Path) -> None:
    write(tmp_path, {"skills/pods/SKILL.md": PODS, "skills/pods/a.md": "x"})
    (tmp_path / "skills/pods/again").symlink_to(".")
    config = load(tmp_path, {})
    assert [file.path for file in config.skills["pods"].skill.files] == ["a.md"]
    assert notes(config) == ["skills/pods/SKILL.md:1: again: cannot be read (it is not a file), and is left out"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Look.", ":1: has no frontmatter; begin it with ---, name, description and ---"),
        ("---\nname: pods\n", ":1: has a frontmatter without an end; close it with a line ---"),
        ("---\nname: pods\n---\n", ":1: description: is missing; add it"),
        ("---\ndescription: x\nname: 3\n---\n", ":3: name: is not text; write the value in quotes"),
        ("---\ndescription: x\nname: ../x\n---\n", ":3: name: cannot name a skill; use at most 64 letters"),
        ("---\nname: pods\ndescription: a: b\n---\n", ":3: is not YAML: mapping values are not allowed here; correct"),
        (f"---\nname: pods\ndescription: {'x' * 1025}\n---\n", ":3: description: has 1025 characters; say in at most"),
        ("---\nname: pods\ndescription: x\ntools: {a: b}\n---\n", ":4: tools: is not a list of names; write [a, b]"),
        (skill("pods", body="x" * FILE_BYTES), f":1: has more than {FILE_BYTES} bytes; keep it below"),
    ],
)
def test_a_skill_that_cannot_be_read_is_a_mistake_with_its_line(tmp_path: Path, text: str, expected: str) -> None:
    (mistake,) = mistakes(tmp_path, {"skills/pods/SKILL.md": text})
    assert mistake.startswith(f"skills/pods/SKILL.md{expected}")


def test_two_skills_of_one_name_in_one_folder_are_a_mistake(tmp_path: Path) -> None:
    (mistake,) = mistakes(tmp_path, {"skills/a.md": skill("pods"), "skills/pods.md": skill("pods")})
    assert mistake == "skills/pods.md:2: name: is the name of skills/a.md, too; give each its own"


def test_the_first_folder_that_has_a_name_wins_and_the_other_is_noted(tmp_path: Path) -> None:
    files = {"mine/pods.md": skill("pods", body="Mine."), "git/skills/pods.md": skill("pods"), "git/skills/a.md": PODS}
    config = load(tmp_path, files | {"git/skills/a.md": skill("a")}, more="skill_folders: [mine, git/skills]")
    assert (list(config.skills), config.skills["pods"].skill.body) == (["pods", "a"], "Mine.")
    assert notes(config) == [
        "git/skills/pods.md:2: name: is shadowed: mine/pods.md has this name, and its folder comes first"
    ]


def test_a_folder_that_is_not_there_is_noted_with_its_line(tmp_path: Path) -> None:
    (note,) = notes(load(tmp_path, {"mine/README.md": "x"}, more="skill_folders: [mine, ../team]"))
    assert "tarsy.yaml:" in note
    assert note.endswith("skill_folders[1]: has no skills: there is no folder ../team")


def test_links_to_files_that_are_not_there_are_noted_with_their_line(tmp_path: Path) -> None:
    body = "[a](references/a.md) [web](https://x.example/y.md) [here](#top)\n[b](./b.md#part) [gone](gone.md)"
    files = {"skills/pods/SKILL.md": skill("pods", body=body), "skills/pods/references/a.md": "A"}
    config = load(tmp_path, files | {"skills/pods/b.md": "B"})
    assert notes(config) == [
        "skills/pods/SKILL.md:6: links to gone.md, which agents cannot read: it is no text file of this skill"
    ]


def test_a_name_that_is_not_that_of_its_folder_is_noted(tmp_path: Path) -> None:
    (note,) = notes(load(tmp_path, {"skills/pod/SKILL.md": PODS}))
    assert note == "skills/pod/SKILL.md:2: name: is not that of its place, pod: agents know it as pods"
