"""The Helm chart as tests see it: rendered by helm itself."""

import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import yaml
from pydantic import JsonValue

from tarsy_testing.programs import leave_out

ROOT = Path(__file__).resolve().parent.parent.parent
CHART = ROOT / "helm" / "tarsy"
HELM = ROOT / ".tools" / "helm" / "helm"
RELEASE = "prod"
LIMIT_SECONDS = 120
VALUE_FILES = tuple(sorted(file.stem.removesuffix("-values") for file in (CHART / "ci").glob("*-values.yaml")))

PATHS = [
    "/",
    "/sessions/1",
    "/assets/1/page.js",
    "/api/v1/alerts",
    "/api/v1/alerts/alertmanager",
    "/api/v1/alertsome",
    "/api/v1/alert-types",
    "/api/v1/runbooks",
    "/api/v1/system/config",
    "/api/v1/system/config/skills/one",
    "/api/v1/system/default-tools",
    "/api/v1/system/warnings",
    "/api/v1/ws",
    "/api/v1/sessions",
    "/api",
    "/apis",
    "/mcp",
    "/mcpx",
    "/internal",
    "/internal/v1/chains",
    "/internals",
    "/docs",
    "/docs/oauth2-redirect",
    "/redoc",
    "/openapi.json",
]
"""Paths of requests, beside those of the routes themselves."""

FRONT_DOOR = "front-door"
"""The one Deployment that runs a program of others."""

type Manifest = Mapping[str, JsonValue]


def demand_helm() -> None:
    """Leaves the test out where helm was not built."""
    if not HELM.is_file():
        leave_out(["helm"])


def values_of(name: str) -> Path:
    return CHART / "ci" / f"{name}-values.yaml"


def helm(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    demand_helm()
    command = [str(HELM), *(str(argument) for argument in arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)


def template(name: str, *more: str) -> subprocess.CompletedProcess[str]:
    """Rendered with the value file of that name; `more` are further arguments, such as --set."""
    return helm("template", RELEASE, CHART, "--namespace", "sre", "--values", values_of(name), *more)


@cache
def rendered(name: str, *more: str) -> tuple[Manifest, ...]:
    done = template(name, *more)
    assert done.returncode == 0, done.stderr
    return tuple(found for found in yaml.load_all(done.stdout, yaml.CSafeLoader) if found)


def of_kind(name: str, kind: str, *more: str) -> dict[str, Manifest]:
    """By the name of the component that they belong to, or, where several do, by their own."""
    found = [one for one in rendered(name, *more) if one["kind"] == kind]
    by_component = {component_of(one): one for one in found}
    return by_component if len(by_component) == len(found) else {at(one, "metadata.name", str): one for one in found}


def services_of(name: str) -> dict[str, Manifest]:
    """The Deployments of our own services, by component."""
    found = of_kind(name, "Deployment")
    return {component: one for component, one in found.items() if component != FRONT_DOOR}


def component_of(manifest: Manifest) -> str:
    labels = at(manifest, "metadata.labels", dict)
    return str(labels["app.kubernetes.io/component"])


def at[T](manifest: JsonValue | Manifest, path: str, kind: type[T]) -> T:
    """The value at keys and indices with dots between them. Fails where it is not there, or of another type."""
    found: object = manifest
    for step in path.split("."):
        if isinstance(found, list):
            found = found[int(step)]
        else:
            assert isinstance(found, Mapping), path
            assert step in found, f"{step} of {path} is not there"
            found = found[step]
    assert isinstance(found, kind), f"{path} is {found!r}"
    return found


def pods_of(name: str, *more: str) -> Iterator[tuple[str, Manifest]]:
    """The specs of all pods, with their component."""
    for one in rendered(name, *more):
        if one["kind"] in ("Deployment", "Job"):
            yield component_of(one), at(one, "spec.template.spec", dict)
        elif one["kind"] == "CronJob":
            yield component_of(one), at(one, "spec.jobTemplate.spec.template.spec", dict)
        elif one["kind"] == "Pod":
            yield component_of(one), at(one, "spec", dict)


def container_of(pod: Manifest) -> Manifest:
    return at(pod, "containers.0", dict)


def variables_of_container(pod: Manifest) -> dict[str, str | None]:
    """None where the value comes from a Secret."""
    rows = container_of(pod).get("env") or []
    assert isinstance(rows, list)
    return {
        at(row, "name", str): at(row, "value", str) if "value" in row else None for row in rows if isinstance(row, dict)
    }
