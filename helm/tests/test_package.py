"""The chart as an artifact: packaged, pushed to a registry, and pulled from there it renders the same."""

import json
from pathlib import Path

import yaml

from tarsy_testing.chart import CHART, helm, rendered, values_of
from tarsy_testing.servers.oci_registry import oci_registry


def test_what_comes_from_a_registry_renders_what_the_chart_renders(tmp_path: Path) -> None:
    version = str(yaml.safe_load((CHART / "Chart.yaml").read_text("utf-8"))["version"])
    packed = helm("package", CHART, "--destination", tmp_path)
    assert packed.returncode == 0, packed.stderr
    with oci_registry() as registry:
        home = f"oci://{registry.address}/sre/charts"
        pushed = helm("push", tmp_path / f"tarsy-{version}.tgz", home, "--plain-http")
        assert pushed.returncode == 0, pushed.stderr
        assert registry.tags("sre/charts/tarsy") == {version}
        made = helm(
            "template", "prod", f"{home}/tarsy", "--version", version, "--plain-http", "--namespace", "sre",
            "--values", values_of("everything"),
        )  # fmt: skip
        assert made.returncode == 0, made.stderr
    found = [one for one in yaml.load_all(made.stdout, yaml.CSafeLoader) if one]
    assert sorted(map(json.dumps, found)) == sorted(map(json.dumps, rendered("everything")))
