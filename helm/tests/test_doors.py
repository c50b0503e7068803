"""The doors of the chart: the Ingress, and the NetworkPolicies."""

import pytest

from tarsy_local.front_door.routes import OUTSIDE, service_of
from tarsy_local.service_settings import SETTINGS
from tarsy_service.http.base_path import PAGES
from tarsy_testing.chart import (
    PATHS,
    Manifest,
    at,
    component_of,
    of_kind,
    pods_of,
    rendered,
    template,
    variables_of_container,
)

PROBES = ("health", "ready")


def _ingress(name: str, *more: str) -> Manifest:
    (ingress,) = (one for one in rendered(name, *more) if one["kind"] == "Ingress")
    return ingress


def _led(name: str, path: str, *more: str) -> str | None:
    """As an Ingress does: the whole path, or by whole steps, and the longest counts."""
    ingress, steps = _ingress(name, *more), path.rstrip("/").split("/")
    release = at(ingress, "metadata.name", str)
    fitting = {
        at(row, "path", str): at(row, "backend.service.name", str).removeprefix(f"{release}-")
        for row in at(ingress, "spec.rules.0.http.paths", list)
        if row["path"] == path
        or (row["pathType"] == "Prefix" and steps[: len(own := at(row, "path", str).split("/"))] == own)
    }
    return fitting[max(fitting, key=len)] if fitting else None


@pytest.mark.parametrize("name", ["everything", "ipv6"])
def test_the_ingress_leads_each_path_where_the_front_door_leads_it(name: str) -> None:
    """But it knows the page's addresses: what is not one of them is not answered by the page."""
    for path in PATHS + [route.prefix for route in OUTSIDE]:
        led = service_of(path, OUTSIDE)
        is_page = path.split("/")[1] in {"", *PAGES, *PROBES}
        assert _led(name, path) == (led if led != "websocket-gateway" or is_page or path == "/api/v1/ws" else None), (
            path
        )


@pytest.mark.parametrize("path", ["/metrics", "/internal/v1/chains", "/docs", "/redoc", "/elsewhere"])
def test_no_path_of_the_ingress_holds_what_leads_nowhere(path: str) -> None:
    """A controller that leaves out paths of Services without pods leads it to no other Service either."""
    assert _led("everything", path) is None
    assert _led("everything", f"/ops/tarsy{path}", "--set", "http.basePath=ops/tarsy") is None


def test_each_service_of_the_ingress_has_pods() -> None:
    services = {at(one, "metadata.name", str): one for one in rendered("everything") if one["kind"] == "Service"}
    for row in at(_ingress("everything"), "spec.rules.0.http.paths", list):
        assert "selector" in at(services[at(row, "backend.service.name", str)], "spec", dict)


def test_below_a_path_the_ingress_leads_there_and_each_service_is_told() -> None:
    more = ("--set", "http.basePath=ops/tarsy/")
    for path in PATHS:
        assert _led("everything", f"/ops/tarsy{path}", *more) == _led("everything", path), path
    assert _led("everything", "/ops/tarsy", *more) == "websocket-gateway"
    told = [
        variables_of_container(pod).get("TARSY_BASE_PATH")
        for name, pod in pods_of("everything", *more)
        if name in SETTINGS
    ]
    assert told == ["/ops/tarsy"] * len(SETTINGS)


@pytest.mark.parametrize("base_path", ["", "/ops/tarsy"])
def test_the_route_of_a_gateway_leads_each_path_where_the_ingress_leads_it(base_path: str) -> None:
    more = ("--set", f"http.basePath={base_path}")
    (route,) = of_kind("everything", "HTTPRoute", *more).values()
    rows = [
        {
            "path": match["path"]["value"],
            "pathType": match["path"]["type"].removeprefix("Path"),
            "backend": {"service": {"name": rule["backendRefs"][0]["name"]}},
        }
        for rule in at(route, "spec.rules", list)
        for match in rule["matches"]
    ]
    ingress = at(_ingress("everything", *more), "spec.rules.0.http.paths", list)

    def facts(row: Manifest) -> tuple[str, str, str]:
        return at(row, "path", str), at(row, "pathType", str), at(row, "backend.service.name", str)

    assert sorted(map(facts, rows)) == sorted(map(facts, ingress))


def test_a_gateway_has_to_be_named_and_its_host_is_one_of_ours() -> None:
    assert "gateway.parentRefs must be set" in template("default", "--set", "gateway.enabled=true").stderr
    for name, pod in pods_of("everything"):
        if name in SETTINGS:
            assert "tarsy.gateway.example" in str(variables_of_container(pod)["TARSY_HOSTS"]).split(",")


def _callers(policy: Manifest) -> set[str]:
    """Components of our own, and namespaces."""
    (rule,) = at(policy, "spec.ingress", list)
    assert at(rule, "ports.0.port", str) == "http"
    labels = [
        peer.get("podSelector", {}).get("matchLabels", {}).get("app.kubernetes.io/component")
        or at(peer, "namespaceSelector.matchLabels", dict)["kubernetes.io/metadata.name"]
        for peer in at(rule, "from", list)
    ]
    return set(labels)


def test_each_service_is_reached_only_by_whom_it_is_asked() -> None:
    found = {name: _callers(policy) for name, policy in of_kind("default", "NetworkPolicy").items()}
    everybody = {"monitoring", "check"}
    assert found == {
        "ingest": everybody | {"ingress-nginx", "timeline"},
        "orchestrator": everybody,
        "tool-gateway": everybody,
        "summarizer": everybody,
        "timeline": everybody | {"ingress-nginx", "websocket-gateway", "notifier", "tool-gateway"},
        "websocket-gateway": everybody | {"ingress-nginx"},
        "notifier": everybody,
    }


def test_the_front_door_reaches_whom_it_leads_to_and_no_other() -> None:
    policies = of_kind("everything", "NetworkPolicy")
    assert _callers(policies["front-door"]) == {"ingress-nginx", "tools", "check"}
    reached = {name for name, policy in policies.items() if "front-door" in _callers(policy)}
    assert reached == {"ingest", "timeline", "websocket-gateway"}


def test_each_policy_and_each_service_selects_the_pods_of_its_deployment() -> None:
    deployments = of_kind("everything", "Deployment")
    for kind, path in (
        ("NetworkPolicy", "spec.podSelector.matchLabels"),
        ("PodDisruptionBudget", "spec.selector.matchLabels"),
        ("Service", "spec.selector"),
    ):
        for one in rendered("everything"):
            if one["kind"] != kind or component_of(one) == "front-door":
                continue
            labels = at(deployments[component_of(one)], "spec.template.metadata.labels", dict)
            assert at(one, path, dict).items() <= labels.items()


def test_a_service_goes_only_where_it_has_to_where_that_is_limited() -> None:
    ports = {
        name: {row["port"] for rule in at(policy, "spec.egress", list) for row in rule["ports"]}
        for name, policy in of_kind("everything", "NetworkPolicy").items()
    }
    everybody = {53, 9092, 3128, 4318, 8443}
    assert ports == {
        "ingest": everybody,
        "orchestrator": everybody | {443},
        "tool-gateway": everybody | {443, "http"},
        "summarizer": everybody | {443},
        "timeline": everybody | {443, 5432, "http"},
        "websocket-gateway": everybody | {"http"},
        "notifier": everybody | {443, "http"},
        "front-door": {53, "http"},
    }
