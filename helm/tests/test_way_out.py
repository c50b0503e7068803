"""`caBundle` and `proxy`: every pod of ours has them, and what is inside is asked directly."""

import json

import pytest

from tarsy_egress.child_environment import egress_variables
from tarsy_egress.proxies import bypasses_proxy, proxy_for
from tarsy_testing.chart import of_kind, pods_of, template, variables_of_container

PROXY = "http://proxy.example:3128"
OTHERS = {"front-door", "check"}
"""Pods that ask nobody outside, or run no program of ours."""


def test_every_pod_of_ours_has_the_way_out() -> None:
    pods = {name: variables_of_container(pod) for name, pod in pods_of("everything")}
    ours = pods.keys() - OTHERS
    assert len(ours) > 10
    for name in ours:
        told = pods[name]
        assert (told["HTTPS_PROXY"], told["HTTP_PROXY"]) == (PROXY, PROXY), name
        assert told["TARSY_CA_FILE"] == "/run/secrets/tarsy/authorities/ca.crt", name


@pytest.mark.parametrize("name", ["default", "secured-kafka"])
def test_without_values_nothing_of_it_is_set(name: str) -> None:
    for component, pod in pods_of(name):
        told = {variable: value or "" for variable, value in variables_of_container(pod).items()}
        assert egress_variables(told) == {}, component
        assert "TARSY_CA_FILE" not in told


@pytest.mark.parametrize(
    ("address", "direct"),
    [
        ("http://sre-timeline:8080", True),
        ("http://sre-timeline.sre:8080", True),
        ("http://sre-timeline.sre.svc.cluster.local:8080", True),
        ("http://mcp.tools.svc:8000/mcp", True),
        ("http://mcp:8000/mcp", True),
        ("https://10.96.0.1:443", True),
        ("https://grafana.corp.example/mcp", True),
        ("http://otel:4318/v1/traces", True),
        ("http://127.0.0.1:8080", True),
        ("https://kubernetes.default.svc", True),
        ("https://api.openai.com/v1", False),
        ("https://mcp.datadoghq.example/mcp", False),
    ],
)
def test_what_is_inside_is_asked_directly(address: str, direct: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    told = variables_of_container(dict(pods_of("everything"))["tool-gateway"])
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name.lower(), raising=False)
        monkeypatch.setenv(name, str(told[name]).replace("$(KUBERNETES_SERVICE_HOST)", "10.96.0.1"))
    assert bypasses_proxy(address) == direct
    assert proxy_for(address) == (None if direct else PROXY)


def test_our_services_are_named_for_programs_of_others() -> None:
    told = variables_of_container(dict(pods_of("everything"))["tool-gateway"])["NO_PROXY"] or ""
    services = {name for one in of_kind("everything", "Service") if (name := f"sre-{one}") != "sre-front-door"}
    assert services <= set(told.split(","))


def test_a_proxy_with_a_password_comes_from_a_secret() -> None:
    told = variables_of_container(dict(pods_of("default", "--set", "proxy.secret=proxy"))["orchestrator"])
    assert (told["HTTPS_PROXY"], told["HTTP_PROXY"]) == (None, None)
    assert ".svc" in (told["NO_PROXY"] or "")


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"caBundle": {"configMap": "a", "secret": "b"}}, "caBundle.configMap and caBundle.secret contradict"),
        ({"proxy": {"secret": "a", "https": PROXY}}, "proxy.secret and proxy.https or proxy.http contradict"),
    ],
)
def test_values_that_contradict_each_other_are_refused(values: dict[str, object], sentence: str) -> None:
    more = [part for name, value in values.items() for part in ("--set-json", f"{name}={json.dumps(value)}")]
    assert sentence in template("default", *more).stderr
