"""The alert rules for Prometheus, tried out with Prometheus' own tool."""

import pytest

from tarsy_testing.servers.prometheus import ROOT, promtool


@pytest.mark.parametrize(
    "command",
    [
        ("check", "config", "prometheus.yaml"),
        ("check", "config", "prometheus-processes.yaml"),
        ("check", "rules", "tarsy-rules.yaml"),
        ("test", "rules", "tarsy-rules-test.yaml"),
    ],
)
def test_promtool_accepts(command: tuple[str, ...]) -> None:
    assert "SUCCESS" in promtool(*command, folder=ROOT / "deploy" / "prometheus")
