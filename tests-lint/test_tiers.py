"""Two tiers: `make test-all` is everything, and `make test` all of it but what one table names."""

from pathlib import Path

import pytest

from tarsy_testing.tiers import FIRST_ONLY, NAMED, is_of_second_tier

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted(
    file.relative_to(ROOT)
    for folder in ("apps", "libs", "services")
    for file in ROOT.glob(f"{folder}/*/tests/**/test_*.py")
)


def recipe(target: str) -> str:
    rules = (ROOT / "Makefile").read_text("utf-8").split("\n\n")
    [rule] = [rule for rule in rules if rule.startswith(f"{target}:")]
    return rule


def test_only_the_recipe_of_the_first_tier_leaves_something_out() -> None:
    assert FIRST_ONLY in recipe("test")
    assert FIRST_ONLY not in recipe("test-all")
    assert "make test-all" in (ROOT / ".ci" / "run").read_text("utf-8").splitlines()


@pytest.mark.parametrize("path", sorted(NAMED))
def test_what_is_left_to_the_second_tier_is_there(path: str) -> None:
    assert [*(ROOT / path).rglob("test_*.py")] if (ROOT / path).is_dir() else (ROOT / path).is_file()


def test_a_folder_brings_all_below_it_and_a_file_nothing_beside_it() -> None:
    assert is_of_second_tier(Path("helm/tests/test_pods.py"))
    assert is_of_second_tier(Path("tests-e2e/soak/test_soak.py"))
    assert not is_of_second_tier(Path("tests-e2e/test_compose.py"))


@pytest.mark.parametrize("member", sorted({file.parents[len(file.parts) - 3] for file in FILES}), ids=str)
def test_a_member_has_tests_in_the_first_tier(member: Path) -> None:
    """But for one that starts servers, and nothing else."""
    own = [file for file in FILES if member in file.parents and not is_of_second_tier(file)]
    assert own or member == Path("libs/embedded")
