"""The two tiers of tests: `make test` leaves the second one out, `make test-all` runs both.

A file that is named on the command line runs in either.
"""

from pathlib import Path

import pytest

SECOND_TIER = {
    "kills processes, stops servers, or runs two releases side by side": (
        "apps/local/tests/test_service_start.py",
        "libs/bus/tests/test_clients_through_outage.py",
        "libs/bus/tests/test_queue_through_outage.py",
        "libs/bus/tests/test_reading_through_outage.py",
        "libs/bus/tests/test_unavailable_topics.py",
        "libs/embedded/tests",
        "services/ingest/tests/test_doors_through_outage.py",
        "services/timeline/tests/test_outages.py",
        "services/websocket-gateway/tests/test_login_audit.py",
        "services/tool-gateway/tests/chaos",
        "services/tool-gateway/tests/memory_back",
        "tests-e2e/chains/test_approval.py",
        "tests-e2e/chains/test_handing_over.py",
        "tests-e2e/chains/test_killed.py",
        "tests-e2e/chains/test_older_code.py",
        "tests-e2e/chains/test_sub_agents.py",
        "tests-e2e/chains/test_zombies.py",
        "tests-e2e/chaos/test_chaos.py",
        "tests-e2e/soak/test_soak.py",
        "tests-e2e/test_grown_topics.py",
        "tests-e2e/test_long_lived_tasks.py",
        "tests-e2e/test_nothing_is_lost.py",
        "tests-e2e/test_notifications.py",
        "tests-e2e/test_quiet_outage.py",
        "tests-e2e/test_ready_means_progress.py",
        "tests-e2e/test_restore.py",
        "tests-e2e/test_rolling_upgrade.py",
        "tests-e2e/test_three_brokers.py",
        "tests-e2e/test_up_restarts.py",
    ),
    "plays a death at every event": (
        "tests-e2e/test_sweep_in_process.py",
        "tests-e2e/test_sweep_of_an_action.py",
        "tests-e2e/test_sweep_of_an_approval.py",
        "tests-e2e/test_sweep_of_a_budget.py",
        "tests-e2e/test_sweep_of_a_chat.py",
        "tests-e2e/test_sweep_of_a_day.py",
        "tests-e2e/test_sweep_of_a_phase.py",
        "tests-e2e/test_sweep_of_native_tools.py",
        "tests-e2e/test_sweep_of_a_score.py",
        "tests-e2e/test_sweep_of_a_memory.py",
        "tests-e2e/test_sweep_of_a_skill.py",
        "tests-e2e/test_sweep_of_sub_agents.py",
        "tests-e2e/test_sweep_of_the_limit.py",
        "tests-e2e/test_sweep_of_the_switch.py",
        "tests-e2e/test_sweep_of_the_whole.py",
    ),
    "starts a whole system beside the one thread through every service": (
        "apps/tarsy/tests/test_servers_login.py",
        "services/websocket-gateway/tests/test_crowd.py",
        "tests-e2e/chains/test_action.py",
        "tests-e2e/test_memory.py",
        "tests-e2e/chains/test_cancel.py",
        "tests-e2e/chains/test_review.py",
        "tests-e2e/chains/test_chat.py",
        "tests-e2e/chains/test_queue.py",
        "tests-e2e/test_api_contract.py",
        "tests-e2e/test_lab.py",
        "tests-e2e/test_lab_with_memory.py",
        "tests-e2e/test_least_rights.py",
        "tests-e2e/test_login.py",
        "tests-e2e/test_own_parts.py",
        "tests-e2e/test_planted_secrets.py",
        "tests-e2e/test_processes.py",
        "tests-e2e/test_real_models.py",
        "tests-e2e/test_schemas.py",
        "tests-e2e/test_traces.py",
        "tests-e2e/test_tutorial.py",
        "tests-e2e/test_up.py",
        "tests-e2e/test_without_extra.py",
    ),
    "needs programs, images or servers of others": (
        "helm/tests",
        "services/ingest/tests/test_real_alertmanager.py",
        "services/tool-gateway/tests/conformance",
        "services/tool-gateway/tests/real_servers",
        "tests-e2e/chains/test_mcp_api.py",
        "tests-e2e/test_alert_rules.py",
        "tests-e2e/test_bare_machine.py",
        "tests-e2e/test_consumers.py",
        "tests-e2e/test_cookbook_servers.py",
        "tests-e2e/test_kcat.py",
        "tests-e2e/test_page_code.py",
        "tests-e2e/test_recipes.py",
        "tests-e2e/test_way_out.py",
    ),
    "opens the page in Chromium": (
        "services/websocket-gateway/tests/page",
        "tests-e2e/test_browser.py",
        "tests-e2e/test_page.py",
        "tests-e2e/test_page_plays.py",
    ),
}
"""Files and folders, by why they are not in the first."""

NAMED = frozenset(path for paths in SECOND_TIER.values() for path in paths)
FIRST_ONLY = "--first-tier"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        FIRST_ONLY, action="store_true", help="leave out the files of tests-support/tarsy_testing/tiers.py"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """None leaves the decision to others."""
    left_out = config.getoption(FIRST_ONLY) and is_of_second_tier(collection_path.relative_to(config.rootpath))
    return True if left_out else None


def pytest_report_header(config: pytest.Config) -> str | None:
    return "the first tier: `make test-all` runs the second one, too" if config.getoption(FIRST_ONLY) else None


def is_of_second_tier(path: Path) -> bool:
    """Whether the path, from the root of the checkout on, or a folder above it is in the table."""
    return any(one.as_posix() in NAMED for one in (path, *path.parents))
