"""Logs of platforms: the controller manager of Kubernetes and a host's systemd journal."""

import random

from .log_layout import Kinds, PlantedLog, plant
from .templates import fill, weighted

__all__ = ["journal", "kube_controller_manager"]


def _klog(where: str, message: str, level: str = "I") -> str:
    return f"{level}<t>       1 {where}] {message}"


def _event(kind: str, thing: str, reason: str, message: str, sort: str = "Normal") -> str:
    """A template of a controller's event in its own log."""
    version = "autoscaling/v2" if kind == "HorizontalPodAutoscaler" else "apps/v1"
    return _klog("event.go:307", f'"Event occurred" object="{thing}" fieldPath="" kind="{kind}" apiVersion="{version}" '
                                 f'type="{sort}" reason="{reason}" message="{message}"')  # fmt: skip


_APPS = "shop/cart|shop/search|shop/catalog|shop/outbox|shop/thumbs"
_HPA = "HorizontalPodAutoscaler"
_NO_METRICS = "failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)"


def _synced(where: str, what: str, took: str) -> str:
    logger = "replicaset-controller" if where.startswith("replica") else "endpointslice-controller"
    return _klog(where, f'"Finished syncing" logger="{logger}" {what}="{took}ms"')


def _kcm(apps: str) -> Kinds:
    """The ordinary entries, about these applications."""
    app, names = f"<{apps}>", apps.replace("shop/", "")
    rescaled = "SuccessfulRescale"
    return weighted(
        (16, _synced("replica_set.go:676", f'kind="ReplicaSet" key="{app}-<hex9>" duration', "<~14/3>")),
        (14, _synced("endpointslice_controller.go:310", f'service="{app}" elapsed', "<~3/3>")),
        (9, _klog("garbagecollector.go:549", '"Processing item" logger="garbage-collector-controller" '
             'item="[coordination.'
                  'k8s.io/v1/Lease, namespace: kube-node-lease, name: node-<10-64>, uid: <uuid>]"')),
        (8, _event("CronJob", "ops/<job=rotate-tokens|sync-prices|purge-carts>", "SuccessfulCreate",
                   "Created job <=job>-<n+2900000>")),
        (8, _event("CronJob", "ops/<job=rotate-tokens|sync-prices|purge-carts>", "SawCompletedJob",
                   "Saw completed job: <=job>-<n+2899000>, status: Complete")),
        (7, _event(_HPA, app, rescaled, "New size: <4-14>; reason: cpu resource utilization (percentage of request) "
             "above "
                                        "target")),
        (7, _event(_HPA, app, rescaled, "New size: <3-9>; reason: All metrics below target")),
        (4, _event("Deployment", f"shop/<app={names}>", "ScalingReplicaSet",
                   "Scaled up replica set <=app>-<hex9> to <8-14> from <3-7>")),
        (4, _event("Deployment", f"shop/<app={names}>", "ScalingReplicaSet",
                   "Scaled down replica set <=app>-<hex9> to <3-7> from <8-14>")),
        (6, _event("ReplicaSet", f"shop/<app={names}>-<set=hex9>", "SuccessfulCreate", "Created pod: "
             "<=app>-<=set>-<id5>")),
        (3, _klog("replica_set.go:439", '"error syncing, will requeue" err="Operation cannot be fulfilled on '
             'replicasets.'
                  'apps \\"cart-<set=hex9>\\": the object has been modified" key="shop/cart-<=set>"', "E")),
        (3, _event(_HPA, "shop/thumbs", "FailedGetResourceMetric", _NO_METRICS, "Warning")),
        (2, _klog("reflector.go:533", "k8s.io/client-go/metadata/metadatainformer/informer.go:138: watch of *v1.Partial"
                  "ObjectMetadata closed with: too old resource version: <n+88000000> (<n+88009000>)", "W")),
        (1, _klog("node_lifecycle_controller.go:1068", '"Controller detected that zone is now in new state" '
             'logger="node-'
                  'lifecycle-controller" zone="eu-1<a|b|c>" newState="Normal"')),
        (0.4, _klog("pv_controller.go:861", '"Volume entered phase" volume="pvc-<uuid>" phase="<Bound|Released>"')),
        (0.1, _event(_HPA, "shop/thumbs", rescaled, "New size: 6; reason: Current number of replicas below "
                                                     "Spec.MinReplicas")),
    )  # fmt: skip


def kube_controller_manager(count: int, drawn: random.Random) -> PlantedLog:
    """A controller's log in which the most that a deployment may scale to is lowered to three replicas."""
    app = "shop/checkout"
    points = (
        fill(_event(_HPA, app, "SuccessfulRescale", "New size: 3; reason: Current number of replicas above "
                                                    "Spec.MaxReplicas")),
        fill(_event("Deployment", app, "ScalingReplicaSet", "Scaled down replica set checkout-6c9f7d84b to 3 from 14")),
    )  # fmt: skip
    later = weighted(
        (12, _synced("endpointslice_controller.go:310", f'service="{app}" elapsed', "<~48/3>")),
        (6, _klog("horizontal.go:881", '"Successfully updated status" logger="horizontal-pod-autoscaler-controller" '
             'HPA='
                  f'"{app}" current=3 desired=3 utilization="<280-460>%" target="70%"')),
        (4, _event(_HPA, app, "FailedGetResourceMetric", _NO_METRICS, "Warning")),
        (3, _synced("replica_set.go:676", f'kind="ReplicaSet" key="{app}-6c9f7d84b" duration', "<~60/3>")),
    )  # fmt: skip
    before, after = _kcm(f"{_APPS}|{app}"), [*_kcm(_APPS), *later]
    name = "kube-controller-manager"
    return plant(name, before, points, after, count, drawn, lambda at: at.strftime("%m%d %H:%M:%S.%f"), gradual=False)


def _unit(name: str, text: str) -> str:
    """A template of a journal line in the format short-iso."""
    return f"<t> app-07 {name}: {text}"


_JOURNAL = weighted(
    (16, _unit("sshd[<pid=4000-99000>]", "Connection closed by <ip> port <1024-65000> [preauth]")),
    (12, _unit("sshd[<4000-99000>]", "Invalid user <admin|test|oracle|git> from <ip> port <1024-65000>")),
    (14, _unit("indexd[1630]", "batch=<n+51000> docs=<~480> flush_ms=<~35> queue=<0-12>")),
    (14, _unit("indexd[1630]", "query shard=<0-7> hits=<~120> took_ms=<~18>")),
    (9, _unit("CRON[<4000-99000>]", "(root) CMD (<debian-sa1 1 1|/usr/local/bin/node-textfile.sh>)")),
    (6, _unit("systemd[1]", "Starting <sysstat-collect|logrotate|apt-daily|fwupd-refresh>.service...")),
    (6, _unit("systemd[1]", "<sysstat-collect|logrotate|apt-daily|fwupd-refresh>.service: Deactivated successfully.")),
    (5, _unit("systemd[1]", "Started Session <n+300> of User deploy.")),
    (5, _unit("dockerd[911]", 'time="<t>" level=info msg="ignoring event" container=<hex32> topic=/tasks/delete')),
    (4, _unit("kernel", "[UFW BLOCK] IN=eth0 OUT= SRC=<ip> DST=10.1.0.7 LEN=<40-60> TTL=<40-240> PROTO=TCP SPT="
              "<1024-65000> DPT=<22|23|445|3389|8080>")),
    (3, _unit("systemd-resolved[640]", "Using degraded feature set UDP instead of UDP+EDNS0 for DNS server 10.1.0.2.")),
    (2, _unit("snmpd[1002]", "error on subcontainer 'ia_addr' insert (-1)")),
    (1.5, _unit("chronyd[702]", "Selected source <10.1.0.3|10.1.0.4> (ntp<1-2>.example.net)")),
    (1, _unit("smartd[733]", "Device: /dev/sdb [SAT], SMART Usage Attribute: 194 Temperature_Celsius changed from "
         "<30-33> to "
              "<34-37>")),
    (0.6, _unit("indexd[1630]", "merge finished segments=<4-19> took_ms=<~4100>")),
    (0.3, _unit("CRON[<4000-99000>]", "(root) CMD (cd / && run-parts --report /etc/cron.hourly)")),
    (0.1, _unit("CRON[<4000-99000>]", "(backup) CMD (/usr/local/bin/pg-wal-archive --since last --nice 19)")),
)  # fmt: skip


def journal(count: int, drawn: random.Random) -> PlantedLog:
    """A host's journal in which a cron job begins to copy the whole data directory, and the disk gets busy."""
    point = fill(
        _unit("CRON[<4000-99000>]", "(backup) CMD (/usr/local/bin/snapshot-copy --full --jobs 32 /srv/index /mnt/nas)")
    )
    later = weighted(
        (16, _unit("indexd[1630]", "batch=<n+51000> docs=<~480> flush_ms=<~2900> queue=<90-800>")),
        (10, _unit("indexd[1630]", "query shard=<0-7> hits=<~120> took_ms=<~640>")),
        (1, _unit("kernel", "INFO: task jbd2/nvme0n1p2-:<400-420> blocked for more than <120-240> seconds.")),
        (1, _unit("indexd[1630]", "query shard=<0-7> abandoned by the client after 5000 ms")),
    )
    return plant(
        "journal", _JOURNAL, [point], [*_JOURNAL, *later], count, drawn, lambda at: at.isoformat()[:19] + "+0000"
    )
