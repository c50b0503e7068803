"""Pods: what they may do, how they stop, and how they are replaced."""

import json
import math

import pytest

from tarsy_cli.options import UNCHANGING
from tarsy_config.sections.defaults import Limits
from tarsy_service.http.server import GRACE_SECONDS
from tarsy_service.process.runner import LAST_SECONDS
from tarsy_testing.chart import (
    ROOT,
    VALUE_FILES,
    Manifest,
    at,
    component_of,
    container_of,
    of_kind,
    pods_of,
    rendered,
    services_of,
    variables_of_container,
)

PEOPLE = {"ingest", "timeline", "websocket-gateway"}


@pytest.mark.parametrize("name", VALUE_FILES)
def test_no_pod_may_more_than_it_needs(name: str) -> None:
    for component, pod in pods_of(name):
        assert pod["enableServiceLinks"] is False, component
        assert at(pod, "securityContext.runAsUser", int) == 10001
        assert at(pod, "securityContext.runAsNonRoot", bool)
        assert at(pod, "securityContext.seccompProfile.type", str) == "RuntimeDefault"
        context = at(container_of(pod), "securityContext", dict)
        assert context == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert at(container_of(pod), "resources.limits.memory", str)


@pytest.mark.parametrize("name", VALUE_FILES)
def test_no_pod_leaves_out_what_the_image_begins_with(name: str) -> None:
    assert "ENTRYPOINT" in (ROOT / "deploy" / "Dockerfile").read_text("utf-8")
    for _, pod in pods_of(name):
        assert "command" not in container_of(pod)


def test_only_the_tool_gateway_gets_a_token_and_only_when_it_is_told_to() -> None:
    def tokens(name: str) -> set[str]:
        return {component for component, pod in pods_of(name) if pod["automountServiceAccountToken"]}

    assert tokens("default") == set()
    assert tokens("everything") == {"tool-gateway"}


def test_the_cluster_role_only_reads_and_sees_no_secret() -> None:
    (role,) = of_kind("everything", "ClusterRole").values()
    for rule in at(role, "rules", list):
        assert set(rule["verbs"]) <= {"get", "list", "watch"}
        assert "secrets" not in rule["resources"]
        assert "*" not in rule["resources"] + rule["apiGroups"]
    assert not of_kind("default", "ClusterRole")


@pytest.mark.parametrize("name", VALUE_FILES)
def test_the_chart_makes_no_secret(name: str) -> None:
    assert not [one for one in rendered(name) if one["kind"] == "Secret"]


@pytest.mark.parametrize("name", VALUE_FILES)
def test_a_pod_is_not_killed_while_it_still_stops(name: str) -> None:
    for component, pod in pods_of(name):
        if component not in services_of(name):
            continue
        container = container_of(pod)
        before = at(container, "lifecycle.preStop.sleep.seconds", int) if "lifecycle" in container else 0
        assert (before > 0) == (component in PEOPLE)
        stop = float(variables_of_container(pod)["TARSY_SHUTDOWN_SECONDS"] or "")
        assert at(pod, "terminationGracePeriodSeconds", int) > before + math.ceil(stop) + LAST_SECONDS + GRACE_SECONDS


def test_a_stop_waits_for_the_longest_call_that_must_not_be_made_twice() -> None:
    variables = variables_of_container(dict(pods_of("default"))["tool-gateway"])
    drain = float(variables["TARSY_TOOL_GATEWAY_DRAIN_SECONDS"] or "")
    assert Limits().tool_call < drain < float(variables["TARSY_SHUTDOWN_SECONDS"] or "")


def test_a_new_pod_works_before_an_old_one_leaves() -> None:
    for one in of_kind("default", "Deployment").values():
        assert at(one, "spec.strategy.rollingUpdate", dict) == {"maxSurge": 1, "maxUnavailable": 0}
        assert at(one, "spec.minReadySeconds", int) > 0


def test_a_service_has_two_pods_which_are_not_taken_away_at_once() -> None:
    budgets = of_kind("default", "PodDisruptionBudget")
    for component, one in of_kind("default", "Deployment").items():
        assert at(one, "spec.replicas", int) == 2
        assert at(budgets[component], "spec.maxUnavailable", int) == 1


def test_pods_of_one_service_are_spread() -> None:
    for component, pod in pods_of("everything"):
        for row in pod.get("topologySpreadConstraints") or []:  # type: ignore[union-attr]
            assert at(row, "labelSelector.matchLabels", dict)["app.kubernetes.io/component"] == component


def test_jobs_run_before_an_upgrade_have_limits_and_need_nothing_of_the_release() -> None:
    made_before = {at(one, "metadata.name", str) for one in rendered("default") if _is_hook(one)}
    jobs = [one for one in rendered("default") if one["kind"] == "Job"]
    assert {component_of(job) for job in jobs} == {"topics", "migrations", "config-check"}
    for job in jobs:
        assert _is_hook(job)
        assert at(job, "spec.activeDeadlineSeconds", int) < 300
        assert at(job, "spec.backoffLimit", int) <= 5
        assert at(job, "spec.template.spec.serviceAccountName", str) in made_before
        volumes = listed(at(job, "spec.template.spec", dict), "volumes")
        assert {at(one, "configMap.name", str) for one in volumes if "configMap" in one} <= made_before


def _is_hook(manifest: object) -> bool:
    assert isinstance(manifest, dict)
    hook = manifest["metadata"].get("annotations", {}).get("helm.sh/hook")
    return bool(hook == "pre-install,pre-upgrade")


def test_who_may_make_topics_is_nobody_but_the_job() -> None:
    users = {
        name: variables_of_container(pod).get("TARSY_KAFKA_USERNAME", "") for name, pod in pods_of("secured-kafka")
    }
    assert users["topics"] == "tarsy-admin"
    assert users["tool-gateway"] == "tarsy-tool-gateway"
    assert users["summarizer"] is None  # from a Secret
    assert users["ingest"] == "tarsy"


@pytest.mark.parametrize("name", VALUE_FILES)
def test_a_container_that_ends_leaves_the_end_of_its_log_as_its_message(name: str) -> None:
    for component, pod in pods_of(name):
        assert container_of(pod)["terminationMessagePolicy"] == "FallbackToLogsOnError", component


def test_a_job_that_no_second_try_helps_fails_at_once_and_shows_its_log() -> None:
    for job in of_kind("everything", "Job").values():
        assert at(job, "metadata.annotations", dict)["helm.sh/hook-output-log-policy"] == "hook-failed"
        (rule,) = at(job, "spec.podFailurePolicy.rules", list)
        (container,) = at(job, "spec.template.spec.containers", list)
        mistakes = [1] if container["name"] == "config-check" else []
        assert rule == {
            "action": "FailJob",
            "onExitCodes": {"containerName": container["name"], "operator": "In", "values": [*mistakes, UNCHANGING]},
        }


@pytest.mark.parametrize("name", VALUE_FILES)
def test_the_pod_of_a_test_stays_until_the_next_one(name: str) -> None:
    """`helm test --logs` reads its log after it has succeeded."""
    annotations = [at(one, "metadata.annotations", dict) for one in of_kind(name, "Pod").values()]
    policies = [each["helm.sh/hook-delete-policy"] for each in annotations if each["helm.sh/hook"] == "test"]
    assert policies == ["before-hook-creation"]


def test_skills_are_mounted_wherever_the_configuration_is() -> None:
    """All services read the same configuration."""
    for component, pod in pods_of("everything"):
        mounts = {str(one["name"]): one["mountPath"] for one in listed(container_of(pod), "volumeMounts")}
        assert ("skills" in mounts) == ("config" in mounts), component
        if "skills" in mounts:
            assert mounts["skills"] == "/etc/tarsy-skills"
            (volume,) = [one for one in listed(pod, "volumes") if one["name"] == "skills"]
            texts = of_kind("everything", "ConfigMap")[at(volume, "configMap.name", str)]
            assert at(texts, "data", dict).keys() == {"disks.md"}
    assert not [one for _, pod in pods_of("default") for one in listed(pod, "volumes") if one["name"] == "skills"]


def listed(manifest: Manifest, key: str) -> list[Manifest]:
    found: list[Manifest] = at(manifest, key, list) if key in manifest else []
    return found


OWN_CA = {"name": "own-ca", "configMap": {"name": "own-ca"}}
MOUNTED = {"name": "own-ca", "mountPath": "/etc/own-ca", "readOnly": True}


def test_volumes_of_all_are_in_each_service_and_job() -> None:
    more = (
        "--set-json",
        f"extraVolumes=[{json.dumps(OWN_CA)}]",
        "--set-json",
        f"extraVolumeMounts=[{json.dumps(MOUNTED)}]",
    )
    pods = dict(pods_of("default", *more))
    assert len(pods) > 7
    for name, pod in pods.items():
        in_it = name not in ("front-door", "check")
        assert (OWN_CA in listed(pod, "volumes")) == in_it, name
        assert (MOUNTED in listed(container_of(pod), "volumeMounts")) == in_it, name


def test_more_manifests_are_part_of_the_release_and_know_its_values() -> None:
    route = {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": "{{ .Release.Name }}-route", "labels": {"app.kubernetes.io/component": "route"}},
    }
    made = of_kind("default", "HTTPRoute", "--set-json", f"extraObjects=[{json.dumps(route)}]")
    assert at(made["route"], "metadata.name", str) == "prod-route"
