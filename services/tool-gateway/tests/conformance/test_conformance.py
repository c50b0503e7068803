"""The conformance suite of MCP, client side, against the gateway's own session, with the consent of a person."""

import asyncio
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tarsy_testing.servers.mcp_install import node_programs
from tarsy_testing.system.program_forks import program_forks

SECONDS = 250.0
CLIENT_MS = "240000"
"""Instead of the suite's 30 seconds, which a busy machine needs to start our client."""

CONSENT = (
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/metadata-var2",
    "auth/metadata-var3",
    "auth/basic-cimd",
    "auth/scope-from-www-authenticate",
    "auth/scope-from-scopes-supported",
    "auth/scope-omitted-when-undefined",
    "auth/scope-step-up",
    "auth/scope-retry-limit",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post",
    "auth/token-endpoint-auth-none",
    "auth/pre-registration",
)
SCENARIOS = {
    "2025-11-25": (
        "initialize",
        "tools_call",
        "elicitation-sep1034-client-defaults",
        "sse-retry",
        "json-schema-2020-12-preservation",
        *CONSENT,
    ),
    "2026-07-28": (
        "tools_call",
        "request-metadata",
        "sep-2322-client-request-state",
        "http-standard-headers",
        "http-custom-headers",
        "http-invalid-tool-headers",
        "json-schema-ref-no-deref",
        "json-schema-2020-12-preservation",
        *CONSENT,
        "auth/resource-mismatch",
        "auth/offline-access-scope",
        "auth/offline-access-not-supported",
        "auth/authorization-server-migration",
        "auth/iss-supported",
        "auth/iss-not-advertised",
        "auth/iss-supported-missing",
        "auth/iss-wrong-issuer",
        "auth/iss-unexpected",
        "auth/iss-normalized",
        "auth/metadata-issuer-mismatch",
    ),
}


@pytest.fixture(scope="module")
def client(work_folder: Path) -> Iterator[str]:
    """The command of one."""
    with program_forks("client", work_folder, found_in=Path(__file__).parent) as command:
        yield shlex.join(command)


@pytest.mark.parametrize(
    ("version", "scenario"), [(version, scenario) for version, all in SCENARIOS.items() for scenario in all]
)
async def test_the_suite_finds_nothing_wrong_in(client: str, version: str, scenario: str) -> None:
    done = await asyncio.to_thread(
        suite,
        "client",
        *("--command", client, "--scenario", scenario, "--spec-version", version, "--timeout", CLIENT_MS),
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert re.search(r"^Passed: \d+/[1-9]", said, re.MULTILINE), said


@pytest.mark.parametrize("scenario", ["auth/client-credentials-basic", "auth/2025-03-26-oauth-metadata-backcompat"])
async def test_the_suite_finds_nothing_wrong_in_authorization_beside_these_versions(client: str, scenario: str) -> None:
    chosen = ("--scenario", scenario, "--timeout", CLIENT_MS)
    done = await asyncio.to_thread(suite, "client", "--command", client, *chosen)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert re.search(r"^Passed: \d+/[1-9]", said, re.MULTILINE), said


@pytest.mark.parametrize("version", SCENARIOS)
def test_no_scenario_of_a_version_is_left_out(version: str) -> None:
    listed = suite("list", "--client", "--spec-version", version).stdout
    found = re.findall(r"^ +- (\S+) \[(.*)\]$", listed, re.MULTILINE)
    ours = {name for name, versions in found if version in versions.split(",")}
    assert ours == set(SCENARIOS[version])


def suite(*arguments: str) -> subprocess.CompletedProcess[str]:
    programs = node_programs()
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    return subprocess.run(
        [programs / "conformance", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
