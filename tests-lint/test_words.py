"""Words: no retired names, verbs as functions' names, no class name twice, a true glossary, subjects first."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from retired_words import (
    COMPOSITION,
    KEPT_PARTICIPLES,
    NO_PARTICIPLES,
    PARTICIPLES,
    RETIRED_CLASSES,
    RETIRED_MODULES,
    STILL_TWICE,
)
from sentence_subjects import without_subject

from tarsy_contracts.wire.topics import Topics

ROOT = Path(__file__).resolve().parent.parent
MEMBERS = ("apps", "examples", "libs", "services", "tools")
GLOSSARY = ROOT / "docs/glossary.md"
ROW = re.compile(
    r"^\| \*\*(?P<word>[^*]+)\*\*(?: \([^)]+\))? \| (?P<meaning>[^|]+) \| (?P<type>[^|]*) \| (?P<topic>[^|]*) \|$"
)
CODE = re.compile(r"`([^`]+)`")
Function = ast.FunctionDef | ast.AsyncFunctionDef


def modules() -> Iterator[tuple[str, Path]]:
    """The dotted name of each module of a member, and its file."""
    for member in MEMBERS:
        for file in ROOT.glob(f"{member}/*/src/**/*.py"):
            source = next(folder for folder in file.parents if folder.name == "src")
            yield ".".join(file.relative_to(source).with_suffix("").parts).removesuffix(".__init__"), file


def support() -> Iterator[tuple[str, Path]]:
    """Modules of the tests' own packages, as `tarsy_soak.verdict`."""
    for file in ROOT.glob("tests-support/tarsy_*/*.py"):
        yield f"{file.parent.name}.{file.stem}".removesuffix(".__init__"), file


@cache
def classes() -> list[tuple[str, str]]:
    """The module and the name of each class that others may import."""
    return [
        (module, node.name)
        for module, file in modules()
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]


def retired() -> dict[str, str]:
    """Every name that has a successor, and that one."""
    found = {}
    for module, _ in modules():
        package, *parts = module.split(".")
        for part in parts:
            if part in RETIRED_MODULES.get(package, {}):
                name = module[: module.rindex(part) + len(part)]
                found[name] = RETIRED_MODULES[package][part]
    for module, name in classes():
        package = module.partition(".")[0]
        if name in RETIRED_CLASSES.get(package, {}):
            found[f"{package}:{name}"] = RETIRED_CLASSES[package][name]
    return found


def names_that_stand_twice() -> dict[str, list[str]]:
    places = defaultdict(list)
    for module, name in classes():
        places[name].append(module)
    return {name: sorted(found) for name, found in places.items() if len(found) > 1 and name not in COMPOSITION}


def is_participle(word: str) -> bool:
    """Judges by the form: `masked`, `reading`, `built`. A form that is also a verb, such as `set`, is none."""
    has_the_form = len(word) > 4 and word.endswith(("ed", "ing"))
    return word in PARTICIPLES or (has_the_form and word not in NO_PARTICIPLES)


def functions(file: Path) -> Iterator[tuple[str, Function]]:
    """The public functions of a module, and the public methods of its classes; each with its path in the module."""
    classes: list[tuple[str, ast.AST]] = [("", ast.parse(file.read_text("utf-8")))]
    while classes:
        path, node = classes.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                classes.append((f"{path}{child.name}.", child))
            elif isinstance(child, Function) and not child.name.startswith("_"):
                yield f"{path}{child.name}", child


def is_command(function: Function) -> bool:
    """Whether a verb should name it. Properties and context managers say what is there, or what is so meanwhile."""
    marks = [ast.unparse(mark) for mark in (*function.decorator_list, *filter(None, [function.returns]))]
    return not any(re.search(r"property|\.setter|[cC]ontext_?[mM]anager", mark) for mark in marks)


def functions_named_by_participles() -> set[str]:
    return {
        f"{module}:{path}"
        for module, file in modules()
        for path, function in functions(file)
        if is_participle(function.name.partition("_")[0]) and is_command(function)
    }


def test_functions_are_named_by_verbs() -> None:
    found = functions_named_by_participles()
    assert sorted(found - KEPT_PARTICIPLES.keys()) == [], "say what it does: `mask`, not `masked`"
    assert sorted(KEPT_PARTICIPLES.keys() - found) == [], "it is gone: take it off KEPT_PARTICIPLES"
    assert len(KEPT_PARTICIPLES) < 60


def test_no_retired_name_comes_back() -> None:
    assert retired() == {}, "use the new name"


def test_no_class_name_stands_twice() -> None:
    found = names_that_stand_twice()
    assert {name: found[name] for name in sorted(found.keys() - STILL_TWICE)} == {}, "give one of them another name"


def test_what_stands_once_is_off_the_list() -> None:
    assert sorted(STILL_TWICE - names_that_stand_twice().keys()) == [], "it stands once: take it off STILL_TWICE"


def test_sentences_begin_with_their_subject() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    modules = [file for member in (*MEMBERS, "tests-support") for file in ROOT.glob(f"{member}/**/*.py")]
    sources = [file for file in modules if "tests" not in file.relative_to(ROOT).parts]
    found = {str(file.relative_to(ROOT)): without_subject(file) for file in (*pages, *sources)}
    assert len(found) > 700
    assert {file: sentences for file, sentences in found.items() if sentences} == {}


def glossary() -> list[re.Match[str]]:
    rows = [line for line in GLOSSARY.read_text("utf-8").splitlines() if line.startswith("| **")]
    found = [match for row in rows if (match := ROW.match(row))]
    assert len(found) == len(rows) > 60, "a row is no row of four cells"
    return found


def test_the_glossary_has_each_word_once_and_in_order() -> None:
    words = [row["word"] for row in glossary()]
    assert words == sorted(set(words), key=str.casefold)


def test_types_and_topics_of_the_glossary_exist() -> None:
    rows = glossary()
    topics = {getattr(Topics(), name) for name in dir(Topics) if isinstance(getattr(Topics, name), property)}
    assert {topic for row in rows for topic in CODE.findall(row["topic"])} - topics == set()
    named = dict(modules()) | dict(support())
    assert [type for row in rows for type in CODE.findall(row["type"]) if not exists(type, named)] == []


def exists(type: str, named: dict[str, Path]) -> bool:
    """It is a module, or what a module defines at its top."""
    module, _, name = type.rpartition(".")
    if type in named or module not in named:
        return type in named
    return bool(re.search(rf"^((class|(async )?def|type) )?{name}\b", named[module].read_text("utf-8"), re.MULTILINE))
