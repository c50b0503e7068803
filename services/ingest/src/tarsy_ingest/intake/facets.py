"""Facets of an alert, by which sessions are listed: severity, cluster, namespace, workload. Pure.

They are read from data that is masked already. Nothing here is worth refusing an alert for: what does not look like a
name is left out.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tarsy_ingest.intake.json_fields import Fields, find_first

LONGEST = 253
"""As Kubernetes limits names."""

SEVERITY = ("severity",)
CLUSTER = ("cluster", "cluster_name", "clustername", "kubernetes_cluster", "k8s_cluster", "k8s.cluster.name")
NAMESPACE = ("exported_namespace", "namespace", "kubernetes_namespace", "k8s_namespace", "k8s.namespace.name")
WORKLOAD = (
    "workload",
    "deployment",
    "statefulset",
    "daemonset",
    "cronjob",
    "k8s.deployment.name",
    "k8s.statefulset.name",
    "k8s.daemonset.name",
    "k8s.cronjob.name",
)
JOB = ("job_name", "k8s.job.name")
REPLICA_SET = ("replicaset", "k8s.replicaset.name")
POD = ("exported_pod", "pod", "pod_name", "k8s.pod.name")
"""Labels, annotations or JSON fields, the surest first. With `honor_labels` off, Prometheus renames an exporter's
labels to `exported_*`. `job` is not here: it names what Prometheus scrapes.
"""

SAFE = "bcdfghjklmnpqrstvwxz2456789"
"""Characters of the suffixes that Kubernetes makes up (k8s.io/apimachinery/pkg/util/rand)."""
OF_REPLICA_SET = re.compile(rf"(.+)-[{SAFE}]{{6,10}}")
OF_CRON_JOB = re.compile(r"(.+)-\d{8,}")
ORDINAL = re.compile(r"(.+)-\d{1,4}")
GENERATED = re.compile(rf"(.+)-[{SAFE}]{{5}}")


@dataclass(frozen=True, slots=True)
class Facets:
    severity: str | None = None
    cluster: str | None = None
    namespace: str | None = None
    workload: str | None = None


def facets_of(objects: Sequence[Fields]) -> Facets:
    """`objects`: the fields of the alert, the most important object first."""
    return Facets(
        severity=_name_or_none(find_first(objects, SEVERITY)),
        cluster=_name_or_none(find_first(objects, CLUSTER)),
        namespace=_name_or_none(find_first(objects, NAMESPACE)),
        workload=_find_workload(objects),
    )


def owner_of_pod(pod: str) -> str:
    """The Deployment, StatefulSet, DaemonSet or CronJob that a pod's name says it is of, or else the pod."""
    if generated := GENERATED.fullmatch(pod):
        owner = generated[1]
        made = OF_REPLICA_SET.fullmatch(owner) or OF_CRON_JOB.fullmatch(owner)
        return made[1] if made else owner
    ordinal = ORDINAL.fullmatch(pod)
    return ordinal[1] if ordinal else pod


def _find_workload(objects: Sequence[Fields]) -> str | None:
    if named := _name_or_none(find_first(objects, WORKLOAD)):
        return named
    if job := _name_or_none(find_first(objects, JOB)):
        made = OF_CRON_JOB.fullmatch(job)
        return made[1] if made else job
    if replica_set := _name_or_none(find_first(objects, REPLICA_SET)):
        made = OF_REPLICA_SET.fullmatch(replica_set)
        return made[1] if made else replica_set
    pod = _name_or_none(find_first(objects, POD))
    return owner_of_pod(pod) if pod else None


def _name_or_none(text: str | None) -> str | None:
    """As one line. Text that is masked in the data is masked here."""
    return text if text is not None and len(text) <= LONGEST and text.isprintable() else None
