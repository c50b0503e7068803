"""The manual says what the product does: commands and options that there are, and no claim that is known to be gone."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = ROOT / "docs/reference/command.md"
HISTORY = ("CHANGELOG.md", "docs/decisions/", "docs/reference/command.md")
"""What was so once, and the reference that the others are compared with."""
COMMAND = re.compile(r"^## tarsy ([^\n]+)$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
USE = re.compile(r"(?:`|^|\$ |&& )tarsy ([a-z][a-z-]*)((?: [^`#|\n]*)?)", re.MULTILINE)
OF_ALL = frozenset({"--help", "--url", "--json", "--home"})
GONE = {
    r"tarsy session (list|release|retry|fail)": "it is `tarsy held`",
    r"\*Run again\* on the page": "the page says *Re-run*",
    r"\*Record\*(, at each step| on the page)": "the page says *All model calls*",
    r"Submit it again with changes|messages as before": "the page says *Submit again with changes*, *unchanged*",
    r"the story\b(?! of the long log)": "the page says *Timeline*",
    r"no agent acts yet|without scores, reviews and actions": "agents act (actions.md)",
    r"`summarization\.fallback_list`[^|;]*(\| no effect|; in `system`)": "it is obeyed (configuration.md)",
    r"human review, catalogues of prices|Prices are yours to\s+multiply": "there are prices (sessions-api.md)",
    r"names two more incidents": "there are four incidents",
    r"[Tt]here is no login|no login page|has no login": "the page has a login (keys-and-tokens.md)",
    r"no approvals|there is no approval|approval is not there": "calls can wait for a yes (approve-tools.md)",
    r"OAuth (is|are) not (supported|there)": "servers with OAuth are (bring-your-own-mcp-server.md)",
    r"(sub-agents|skills|budgets) (is|are) not (supported|there yet)": "they are",
    r"(waits for a|needs a) yes of": "the page says *Awaiting approval*",
    r"Not in the lists|Lists are behind": "the page says *Unprojected events* and *Projection lag*",
}
"""Claims that were true once, as expressions, and what is so now."""


def pages() -> Iterator[tuple[str, str]]:
    for file in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        name = file.relative_to(ROOT).as_posix()
        if not name.startswith(HISTORY):
            yield name, file.read_text("utf-8")


def commands() -> dict[str, set[str]]:
    """The options of each command, by its words."""
    return {found[1]: set(OPTION.findall(found[2])) for found in COMMAND.finditer(COMMANDS.read_text("utf-8"))}


def unknown_uses(text: str, known: dict[str, set[str]]) -> Iterator[str]:
    for use in USE.finditer(text):
        first, rest = use[1], use[2].split()
        name = f"{first} {rest[0]}" if rest and f"{first} {rest[0]}" in known else first
        of_group = [its for command, its in known.items() if command.startswith(f"{first} ")]
        options = known.get(name, set[str]().union(*of_group))
        is_unknown = name not in known and not of_group
        if is_unknown or set(OPTION.findall(use[2])) - OF_ALL - options:
            yield use[0]


def test_the_manual_names_commands_and_options_that_there_are() -> None:
    known = commands()
    assert len(known) > 50
    found = {name: uses for name, text in pages() if (uses := list(unknown_uses(text, known)))}
    assert found == {}


def test_an_unknown_command_or_option_is_found() -> None:
    known = commands()
    text = "`tarsy sessoin list`, `tarsy watch --backwards` and `tarsy held list`, `tarsy ask why --json`"
    assert list(unknown_uses(text, known)) == ["`tarsy sessoin list", "`tarsy watch --backwards"]


def test_no_claim_comes_back_that_is_known_to_be_gone() -> None:
    found = {
        f"{name}: {match[0]}": now
        for name, text in pages()
        for gone, now in GONE.items()
        if (match := re.search(gone, text))
    }
    assert found == {}
