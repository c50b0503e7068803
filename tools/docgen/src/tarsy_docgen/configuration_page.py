"""The page of the configuration: people write it, but for the rows that AGENT_OPTIONS has."""

from pathlib import Path

from tarsy_config.document.key_paths import AGENT, AGENT_DEFAULTS, CHAIN, DEFAULTS, STAGE, STAGE_AGENT
from tarsy_config.sections.agent_options import AGENT_OPTIONS

PAGE = Path("docs/reference/configuration.md")
BEFORE = "| setting | resolution |\n| --- | --- |\n"
BEHIND = "| `success_policy` |"
SECTIONS = {
    DEFAULTS: "`defaults`",
    AGENT: "agent",
    CHAIN: "chain",
    AGENT_DEFAULTS: "`defaults.agents.NAME`",
    STAGE: "stage",
    STAGE_AGENT: "the agent in its stage",
}


def configuration_page() -> str:
    orders = {option.order: [SECTIONS[path] for path in SECTIONS if path in option.at] for option in AGENT_OPTIONS}
    rows = [f"| {order.format(' → '.join(sections))} |\n" for order, sections in orders.items() if order]
    page = PAGE.read_text("utf-8")
    begin = page.index(BEFORE) + len(BEFORE)
    return page[:begin] + "".join(rows) + page[page.index(BEHIND, begin) :]
