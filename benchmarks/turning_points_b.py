"""Ten long logs of ten makers, each with a planted turning point: the line or lines that explain the incident.

`LOGS_B[name](number_of_lines, drawn)` makes one. In nine of the ten no word of the turning point sounds like trouble:
a setting takes another value, a policy is pruned, an index is dropped, a filter is pushed. Ordinary kinds of lines
(some of them loud, some a handful of times in the whole log) go on before and after it, and so do healthy ones.
"""

import itertools
import json
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import ClassVar, override

from planted_logs import PlantedLog

type Kind = Callable[[], None]
type Kinds = Sequence[tuple[float, Kind]]

# Letters as Kubernetes draws them for the names of pods: no vowels, no look-alikes.
POD_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
MIXED = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


class Maker(ABC):
    """One maker's log while it is written: its clock, its lines so far, and how far the incident has spread."""

    name: ClassVar[str]
    hours: ClassVar[tuple[float, float]] = (3.0, 8.0)
    # The share of the blocks written by `sick` once the incident has spread wholly; the rest stay those of `calm`.
    share: ClassVar[float] = 0.3

    def __init__(self, drawn: random.Random) -> None:
        self.drawn = drawn
        self.lines: list[str] = []
        self.spread = 0.0
        first = datetime(2024, 1, 8, tzinfo=UTC).timestamp()
        self.at = first + self.roll(0, 500) * 86_400 + drawn.random() * 50_000
        self._second = -1
        self._second_said = ""

    @abstractmethod
    def list_calm(self) -> Kinds: ...

    @abstractmethod
    def list_rare(self) -> Sequence[Kind]: ...

    @abstractmethod
    def list_sick(self) -> Kinds: ...

    @abstractmethod
    def turn(self) -> Sequence[str]:
        """Write the turning point, and give back its lines."""

    def open(self) -> None:
        """Write what a log of this maker begins with."""
        return

    def make(self, number_of_lines: int) -> PlantedLog:
        calm, sick = _Lottery(self.list_calm(), self.drawn), _Lottery(self.list_sick(), self.drawn)
        rare = self._place_rare(number_of_lines)
        # Not up to 75 %: a block of several lines may stand astride the drawn place.
        turn_at = self.roll(number_of_lines // 4 + 1, int(number_of_lines * 0.7))
        ramp = max(12.0, number_of_lines * (0.01 + 0.03 * self.drawn.random()))
        pace = self.drawn.uniform(*self.hours) * 3600 / number_of_lines
        turning: Sequence[str] = ()
        turned_at = 0.0
        self.open()
        while len(self.lines) < number_of_lines:
            written, at = len(self.lines), self.at
            if not turning and written >= turn_at:
                turning = self.turn()
                turned_at = self.at
            elif rare and written >= rare[-1][0]:
                rare.pop()[1]()
            else:
                if turning:
                    self.spread = min(1.0, (written - turn_at) / ramp)
                ill = self.spread > 0 and self.drawn.random() < self.share * self.spread
                (sick if ill else calm).draw()()
            gap = self.drawn.expovariate(1 / (pace * max(1, len(self.lines) - written)))
            self.at = max(self.at + 0.0001, at + gap)
        began = datetime.fromtimestamp(int(turned_at), UTC) + timedelta(seconds=self.roll(150, 720))
        return PlantedLog(self.name, tuple(self.lines[:number_of_lines]), tuple(turning), began)

    def _place_rare(self, number_of_lines: int) -> list[tuple[int, Kind]]:
        found = [(self.roll(0, number_of_lines), kind) for kind in self.list_rare() for _ in range(self.roll(1, 5))]
        # The next one is the last of the list, as popping there costs nothing.
        return sorted(found, key=lambda placed: placed[0], reverse=True)

    def say(self, line: str) -> str:
        self.lines.append(line)
        return line

    def hurts(self) -> bool:
        """Draw whether the incident reaches what is written now."""
        return self.spread > 0 and self.drawn.random() < self.spread

    def pass_time(self, seconds: float) -> None:
        """Let about so many seconds pass within a block."""
        self.at += seconds * (0.5 + self.drawn.random())

    def tell_second(self) -> str:
        now = int(self.at)
        if now != self._second:
            # Many lines stand in one second, and formatting a date is the dearest step of a line.
            self._second = now
            self._second_said = f"{datetime.fromtimestamp(now, UTC):%Y-%m-%dT%H:%M:%S}"
        return self._second_said

    def tell_milli(self) -> int:
        return int(self.at % 1 * 1000)

    def tell_micro(self) -> int:
        return int(self.at % 1 * 1_000_000)

    def pick[T](self, given: Sequence[T]) -> T:
        return given[int(self.drawn.random() * len(given))]

    def roll(self, least: int, most: int) -> int:
        return least + int(self.drawn.random() * (most - least + 1))

    def happens(self, share: float) -> bool:
        return self.drawn.random() < share

    def vary(self, median: float, width: float = 0.5) -> float:
        """Draw a duration as durations are spread: most near the median, a long tail above."""
        return median * self.drawn.lognormvariate(0, width)

    def draw_hex(self, digits: int) -> str:
        return f"{self.drawn.getrandbits(4 * digits):0{digits}x}"

    def draw_uuid(self) -> str:
        digits = self.draw_hex(32)
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"

    def draw_letters(self, number: int, of: str = POD_LETTERS) -> str:
        return "".join(self.drawn.choices(of, k=number))

    def draw_pod(self, deployment: str) -> str:
        return f"{deployment}-{self.draw_letters(9)}-{self.draw_letters(5)}"

    def draw_pods(self, deployments: Sequence[str], each: int) -> Sequence[str]:
        return [self.draw_pod(deployment) for deployment in deployments for _ in range(each)]

    def draw_ip(self, prefix: str = "10.42") -> str:
        return f"{prefix}.{self.roll(0, 31)}.{self.roll(2, 250)}"


class _Lottery:
    """Kinds of lines, each with its weight."""

    def __init__(self, kinds: Kinds, drawn: random.Random) -> None:
        self._kinds = [kind for _, kind in kinds]
        self._weights = list(itertools.accumulate(weight for weight, _ in kinds))
        self._drawn = drawn

    def draw(self) -> Kind:
        return self._drawn.choices(self._kinds, cum_weights=self._weights)[0]


class ArgoCd(Maker):
    """The application controller of Argo CD: a sync prunes the network policy that lets an area reach its database."""

    name: ClassVar[str] = "argocd: network policy pruned"
    share: ClassVar[float] = 0.22
    SERVER: ClassVar[str] = "https://kubernetes.default.svc"
    APPS: ClassVar[Sequence[tuple[str, str]]] = (
        ("cert-manager", "cert-manager"),
        ("external-dns", "external-dns"),
        ("grafana", "monitoring"),
        ("kube-state-metrics", "monitoring"),
        ("loki", "monitoring"),
        ("ingress-nginx", "ingress-nginx"),
        ("sealed-secrets", "kube-system"),
        ("metrics-server", "kube-system"),
        ("storefront-web", "storefront"),
        ("storefront-bff", "storefront"),
        ("catalog-api", "catalog"),
        ("catalog-indexer", "catalog"),
        ("search-gateway", "search"),
        ("identity", "identity"),
        ("mailer", "notifications"),
        ("push-sender", "notifications"),
        ("feature-flags", "platform"),
        ("image-resizer", "media"),
        ("warehouse-sync", "warehouse"),
        ("reporting", "reporting"),
    )
    AREAS: ClassVar[Sequence[str]] = ("orders", "payments", "checkout", "ledger")
    PARTS: ClassVar[Sequence[str]] = ("api", "worker", "outbox")
    GROUPS: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "Deployment": ".apps",
            "NetworkPolicy": ".networking.k8s.io",
        }
    )

    def __init__(self, drawn: random.Random) -> None:
        super().__init__(drawn)
        self.hit = self.pick(self.AREAS)
        self.hit_apps = [(f"{self.hit}-{part}", self.hit) for part in self.PARTS]
        ours = [(f"{area}-{part}", area) for area in self.AREAS for part in self.PARTS]
        self.apps = [*self.APPS, *ours]
        self.sync_number = self.roll(200, 900)

    @override
    def list_calm(self) -> Kinds:
        return (
            (30, self.reconcile),
            (34, self.refresh_lightly),
            (9, self.reconcile_two),
            (3, self.sync_ordinarily),
            (2, self.flap_preview),
            (2, self.close_watch),
            (2, self.notify_subscribers),
            (1.5, self.ignore_crds),
            (1.5, self.tell_memory),
            (4, self.see_update),
            (1, self.miss_manifest),
            (1, self.skip_most_recent),
        )

    @override
    def list_rare(self) -> Sequence[Kind]:
        return (
            self.load_tls,
            self.shard_clusters,
            self.normalize_spec,
            self.update_project,
            self.invalidate_cluster,
            self.drop_orphan,
        )

    @override
    def list_sick(self) -> Kinds:
        return ((5, self.degrade), (3, self.progress), (4, self.reconcile_hit), (1, self.retry_hook))

    def note(self, message: str, fields: str, level: str = "info") -> str:
        return self.say(f'time="{self.tell_second()}Z" level={level} msg="{message}" {fields}')

    def tell_destination(self, namespace: str) -> str:
        return f'dest-namespace={namespace} dest-server="{self.SERVER}"'

    def tell_steps(self, app: str, namespace: str, changed: bool) -> Sequence[str]:
        """Give the lines of one reconciliation, without their times."""
        head = f"application=argocd/{app}"
        level = self.roll(1, 2)
        took = [self.roll(0, 3), self.roll(4, 60), self.roll(0, 7), self.roll(2, 30), self.roll(5, 90)]
        return (
            f'msg="Refreshing app status (controller refresh requested), level ({level})" {head}',
            f'msg="Comparing app state (cluster: {self.SERVER}, namespace: {namespace})" {head}',
            f'msg="getRepoObjs stats" {head} build_options_ms=0 helm_ms=0 plugins_ms=0 repo_ms=0 '
            f"time_ms={took[3]} unmarshal_ms={took[3] - took[0] if took[3] > took[0] else 0} version_ms={took[0]}",
            f'msg="Skipping auto-sync: application status is Synced" {head}',
            f'msg="Update successful" {head}' if changed else f'msg="No status changes. Skipping patch" {head}',
            f'msg="Reconciliation completed" {head} dedup_ms=0 dest-name= {self.tell_destination(namespace)} '
            f"diff_ms={took[1]} fields.level={level} git_ms={took[3]} health_ms={took[2]} live_ms={took[4]} "
            f"settings_ms=0 sync_ms=0 time_ms={sum(took) + self.roll(3, 50)}",
        )

    def run_steps(self, steps: Sequence[str]) -> None:
        for step in steps:
            self.say(f'time="{self.tell_second()}Z" level=info {step}')
            self.pass_time(0.02)

    def reconcile(self) -> None:
        self.run_steps(self.tell_steps(*self.pick(self.apps), changed=self.happens(0.15)))

    def reconcile_two(self) -> None:
        one = self.tell_steps(*self.pick(self.apps), changed=False)
        other = self.tell_steps(*self.pick(self.apps), changed=False)
        # Several workers reconcile at a time, so the steps of two applications interleave.
        self.run_steps([step for pair in zip(one, other, strict=True) for step in pair])

    def refresh_lightly(self) -> None:
        app, namespace = self.pick(self.apps)
        head = f"application=argocd/{app}"
        self.note("Refreshing app status (controller refresh requested), level (0)", head)
        self.note("No status changes. Skipping patch", head)
        fields = f"dest-name= {self.tell_destination(namespace)} fields.level=0 time_ms={self.roll(2, 40)}"
        self.note("Reconciliation completed", f"{head} {fields}")

    def sync(self, app: str, namespace: str, results: Sequence[tuple[str, str, str]]) -> Sequence[str]:
        """Write a whole sync operation, and give back the lines of its results."""
        self.sync_number += 1
        head, revision = f"application=argocd/{app}", self.draw_hex(40)
        sync_id = f"syncId={self.sync_number:05d}-{self.draw_letters(5, MIXED)}"
        event = f"{self.tell_destination(namespace)} reason=ResourceUpdated type=Normal"
        self.note("Updated sync status: Synced -> OutOfSync", f"{head} {event}")
        self.note(f"Initiated automated sync to '{revision}'", f"{head} {event}")
        self.pass_time(0.4)
        self.note("Syncing", f"{head} skipHooks=false started=false {sync_id}")
        written: list[str] = []
        for kind, name, message in results:
            pruned = message == "pruned"
            status, phase = ("Pruned", "Succeeded") if pruned else ("Synced", "Running")
            said = message if pruned else f"{kind.lower()}{self.GROUPS.get(kind, '')}/{name} {message}"
            fields = f"{head} kind={kind} name={name} namespace={namespace} phase=Sync {sync_id}"
            written.append(
                self.note(f"Adding resource result, status: '{status}', phase: '{phase}', message: '{said}'", fields)
            )
        self.pass_time(1.5)
        message = "'one or more tasks are running' -> 'successfully synced (all tasks run)'"
        self.note(f"updating operation state. phase: Running -> Succeeded, message: {message}", f"{head} {sync_id}")
        event = f"{self.tell_destination(namespace)} reason=OperationCompleted type=Normal"
        self.note(f"Sync operation to {revision} succeeded", f"{head} {event}")
        self.note("Updated sync status: OutOfSync -> Synced", f"{head} {event}")
        return written

    def sync_ordinarily(self) -> None:
        app, namespace = self.pick(self.apps)
        results = [
            ("Service", app, "unchanged"),
            ("ConfigMap", f"{app}-env-{self.draw_letters(10)}", "created"),
            ("Deployment", app, "configured"),
        ]
        if self.happens(0.4):
            results.append(("ServiceAccount", app, "unchanged"))
        if self.happens(0.6):
            # Kustomize gives each version of a config map another name, so the former one is pruned.
            results.append(("ConfigMap", f"{app}-env-{self.draw_letters(10)}", "pruned"))
        self.sync(app, namespace, results)

    def flap_preview(self) -> None:
        before, after = self.pick((("Progressing", "Degraded"), ("Degraded", "Healthy"), ("Healthy", "Progressing")))
        self.move_health("preview-storefront", "preview", before, after)

    def move_health(self, app: str, namespace: str, before: str, after: str) -> None:
        fields = f"application=argocd/{app} {self.tell_destination(namespace)} reason=ResourceUpdated type=Normal"
        self.note(f"Updated health status: {before} -> {after}", fields)

    def close_watch(self) -> None:
        kind = self.pick(("Pod", "Endpoints", "ReplicaSet.apps", "Event", "EndpointSlice.discovery.k8s.io"))
        address = "https://10.96.0.1:443"
        message = f"Failed to watch {kind} on {address}: watch {kind} on {address} has closed, retrying in 1s"
        self.note(message, f'server="{self.SERVER}"')

    def notify_subscribers(self) -> None:
        self.say(
            f'time="{self.tell_second()}Z" level=info msg="Notifying {self.roll(1, 3)} settings subscribers: '
            f'[0xc000{self.draw_hex(6)}]"'
        )

    def ignore_crds(self) -> None:
        self.say(f'time="{self.tell_second()}Z" level=info msg="Ignore status for CustomResourceDefinitions"')

    def tell_memory(self) -> None:
        self.say(
            f'time="{self.tell_second()}Z" level=info msg="Alloc={self.roll(180_000, 420_000)} '
            f"TotalAlloc={int(self.at * 91) % 9_000_000_000} Sys={self.roll(700_000, 720_000)} "
            f'NumGC={int(self.at / 40) % 90_000} Goroutines={self.roll(610, 690)}"'
        )

    def see_update(self) -> None:
        app, namespace = self.pick(self.apps)
        self.note(
            "Requesting app refresh caused by object update",
            f"api-version=v1 application=argocd/{app} cluster-name= fields.level=1 kind=Pod "
            f'name={self.draw_pod(app)} namespace={namespace} server="{self.SERVER}"',
        )

    def miss_manifest(self) -> None:
        app, _ = self.pick(self.apps)
        message = "Failed to get cached manifests, cache: key is missing; generating them anew"
        self.note(message, f"application=argocd/{app}", level="warning")

    def skip_most_recent(self) -> None:
        # An operator mutates this one's fields for ever: OutOfSync is its ordinary state.
        self.note(
            "Skipping auto-sync: most recent sync already to 4be0d0f5c1c3d4f8a6fd2c39fb1a7e5518b1c2aa",
            "application=argocd/gatekeeper",
        )

    def load_tls(self) -> None:
        message = "Loading TLS configuration from secret argocd/argocd-server-tls"
        self.say(f'time="{self.tell_second()}Z" level=info msg="{message}"')

    def shard_clusters(self) -> None:
        self.say(f'time="{self.tell_second()}Z" level=info msg="Processing clusters from shard 0, 1 clusters assigned"')

    def normalize_spec(self) -> None:
        app, _ = self.pick(self.APPS)
        self.note('Normalized app spec: {\\"status\\":{\\"conditions\\":[]}}', f"application=argocd/{app}")

    def update_project(self) -> None:
        self.note("Project settings changed, requeueing applications", f"project={self.pick(('prod', 'infra'))}")

    def invalidate_cluster(self) -> None:
        self.note("Invalidated cluster cache", f'server="{self.SERVER}"')
        self.pass_time(2)
        self.note("Cluster successfully synced", f'server="{self.SERVER}"')

    def drop_orphan(self) -> None:
        app, namespace = self.pick(self.APPS)
        kind = self.pick((("Job", "migrate"), ("Role", "leases"), ("PodDisruptionBudget", "pdb")))
        self.sync(app, namespace, [("Deployment", app, "unchanged"), (kind[0], f"{app}-{kind[1]}", "pruned")])

    @override
    def turn(self) -> Sequence[str]:
        policy = f"{self.hit}-to-postgres"
        results = [
            ("Namespace", self.hit, "unchanged"),
            ("ResourceQuota", f"{self.hit}-quota", "unchanged"),
            ("NetworkPolicy", "default-ingress", "unchanged"),
            ("NetworkPolicy", policy, "pruned"),
        ]
        return [self.sync(f"{self.hit}-namespace", self.hit, results)[-1]]

    def degrade(self) -> None:
        self.move_health(*self.pick(self.hit_apps), *self.pick((("Healthy", "Degraded"), ("Progressing", "Degraded"))))

    def progress(self) -> None:
        self.move_health(
            *self.pick(self.hit_apps), *self.pick((("Degraded", "Progressing"), ("Healthy", "Progressing")))
        )

    def reconcile_hit(self) -> None:
        self.run_steps(self.tell_steps(*self.pick(self.hit_apps), changed=True))

    def retry_hook(self) -> None:
        app, namespace = self.hit_apps[0]
        fields = f"application=argocd/{app} kind=Job name={app}-smoke namespace={namespace} phase=PostSync"
        self.note("Resource is still progressing: Job has not reached its completions", fields)


class CoreDns(Maker):
    """The query log of CoreDNS, without time stamps: another Corefile no longer forwards the company's zone."""

    name: ClassVar[str] = "coredns: corefile reloaded"
    share: ClassVar[float] = 0.3
    SERVICES: ClassVar[Sequence[str]] = (
        "redis-master.cache",
        "postgres-rw.data",
        "kafka-bootstrap.streaming",
        "catalog-api.catalog",
        "identity.identity",
        "otel-collector.monitoring",
        "inventory.warehouse",
        "search-gateway.search",
        "vault.security",
        "kubernetes.default",
    )
    OUTSIDE: ClassVar[Sequence[str]] = (
        "api.stripe.com.",
        "sqs.eu-central-1.amazonaws.com.",
        "s3.eu-central-1.amazonaws.com.",
        "hooks.slack.com.",
        "oauth2.googleapis.com.",
        "intake.logs.datadoghq.eu.",
        "registry-1.docker.io.",
    )
    HOSTS: ClassVar[Sequence[str]] = ("ledger", "sso", "pricing", "erp-bridge", "files", "mail-relay")

    def __init__(self, drawn: random.Random) -> None:
        super().__init__(drawn)
        self.clients = [f"10.244.{self.roll(1, 12)}.{self.roll(2, 250)}" for _ in range(60)]
        self.zone = self.pick(("corp.northbay.example.", "intra.kestrel.example.", "dc1.halden.example."))

    @override
    def open(self) -> None:
        self.say(".:53")
        self.say(f"[INFO] plugin/reload: Running configuration SHA512 = {self.draw_hex(128)}")
        self.say("CoreDNS-1.11.1")
        self.say("linux/amd64, go1.20.7, ae2bbc2")
        self.query("HINFO", f"{self.roll(10**18, 9 * 10**18)}.{self.roll(10**18, 9 * 10**18)}.", "NXDOMAIN", 0.012)

    @override
    def list_calm(self) -> Kinds:
        return (
            (34, self.ask_service),
            (26, self.ask_search_path),
            (9, self.ask_outside),
            (11, self.ask_company),
            (3, self.ask_pointer),
            (2, self.ask_srv),
            (1.5, self.ask_https),
            (1, self.ask_txt),
            (1, self.ask_by_tcp),
            (1.2, self.time_out_upstream),
            (0.8, self.ask_headless),
            (0.7, self.ask_metadata),
        )

    @override
    def list_rare(self) -> Sequence[Kind]:
        return (self.wait_health, self.ask_any, self.ask_mail, self.ask_soa, self.overflow, self.ask_chaos)

    @override
    def list_sick(self) -> Kinds:
        return ((8, self.lose_company), (5, self.lose_company_search), (1, self.serve_nothing))

    def query(self, kind: str, name: str, result: str, seconds: float, flags: str = "qr,aa,rd", size: int = 0) -> None:
        self.say(
            f"[INFO] {self.pick(self.clients)}:{self.roll(32768, 60999)} - {self.roll(1, 65535)} "
            f'"{kind} IN {name} udp {len(name) + 17} false 512" {result} {flags} {size or len(name) * 2 + 40} '
            f"{seconds:.9f}s"
        )

    def draw_kind(self) -> str:
        return "A" if self.happens(0.55) else "AAAA"

    def ask_service(self) -> None:
        self.query(self.draw_kind(), f"{self.pick(self.SERVICES)}.svc.cluster.local.", "NOERROR", self.vary(0.00013))

    def ask_search_path(self) -> None:
        # ndots:5 has each client try the search path first: most NXDOMAIN of a cluster mean nothing.
        asked = self.pick((*self.OUTSIDE, *(f"{service}." for service in self.SERVICES)))
        suffix = self.pick(("catalog.svc.cluster.local.", "svc.cluster.local.", "cluster.local."))
        self.query(self.draw_kind(), f"{asked}{suffix}", "NXDOMAIN", self.vary(0.00012))

    def ask_outside(self) -> None:
        cached = self.happens(0.6)
        seconds = self.vary(0.00009) if cached else self.vary(0.004, 0.9)
        flags = "qr,aa,rd,ra" if cached else "qr,rd,ra"
        self.query(self.draw_kind(), self.pick(self.OUTSIDE), "NOERROR", seconds, flags, self.roll(70, 380))

    def draw_company(self) -> str:
        return f"{self.pick(self.HOSTS)}.{self.zone}"

    def ask_company(self) -> None:
        if self.hurts():
            self.lose_company()
            return
        seconds = self.vary(0.0001) if self.happens(0.5) else self.vary(0.0012)
        self.query(self.draw_kind(), self.draw_company(), "NOERROR", seconds, "qr,aa,rd,ra")

    def ask_pointer(self) -> None:
        name = f"{self.roll(2, 250)}.{self.roll(1, 12)}.244.10.in-addr.arpa."
        self.query("PTR", name, "NOERROR", self.vary(0.0002))

    def ask_srv(self) -> None:
        name = f"_grpc._tcp.{self.pick(self.SERVICES)}.svc.cluster.local."
        self.query("SRV", name, "NOERROR", self.vary(0.0002), size=self.roll(200, 420))

    def ask_https(self) -> None:
        self.query("HTTPS", self.pick(self.OUTSIDE), "NOERROR", self.vary(0.003), "qr,rd,ra")

    def ask_txt(self) -> None:
        self.query("TXT", "_acme-challenge.shop.kestrel.example.", "NOERROR", self.vary(0.006), "qr,rd,ra")

    def ask_by_tcp(self) -> None:
        self.say(
            f"[INFO] {self.pick(self.clients)}:{self.roll(32768, 60999)} - {self.roll(1, 65535)} "
            f'"A IN kafka-broker.streaming.svc.cluster.local. tcp 62 true 65535" NOERROR qr,aa,rd '
            f"{self.roll(700, 1900)} {self.vary(0.0004):.9f}s"
        )

    def time_out_upstream(self) -> None:
        name = self.pick(("wpad.lan.", "time.windows.com.", "telemetry.oldvendor.example."))
        self.say(
            f"[ERROR] plugin/errors: 2 {name} {self.draw_kind()}: read udp 10.244.0.7:{self.roll(32768, 60999)}->"
            "10.0.0.2:53: i/o timeout"
        )

    def ask_headless(self) -> None:
        name = f"kafka-{self.roll(0, 4)}.kafka-headless.streaming.svc.cluster.local."
        self.query("A", name, "NOERROR", self.vary(0.00015))

    def ask_metadata(self) -> None:
        self.query("A", "metadata.google.internal.", "NXDOMAIN", self.vary(0.002), "qr,rd,ra")

    def wait_health(self) -> None:
        seconds = 1 + self.drawn.random()
        self.say(
            f'[WARNING] plugin/health: Local health request to "http://:8080/health" took more than 1s: {seconds:.9f}s'
        )

    def ask_any(self) -> None:
        self.query("ANY", "kestrel.example.", "NOTIMP", self.vary(0.0001), "qr,rd")

    def ask_mail(self) -> None:
        self.query("MX", "kestrel.example.", "NOERROR", self.vary(0.005), "qr,rd,ra")

    def ask_soa(self) -> None:
        self.query("SOA", "cluster.local.", "NOERROR", self.vary(0.0001))

    def overflow(self) -> None:
        self.say("[WARNING] plugin/forward: concurrent queries exceeded maximum 1000")

    def ask_chaos(self) -> None:
        self.say(
            f"[INFO] {self.pick(self.clients)}:{self.roll(32768, 60999)} - {self.roll(1, 65535)} "
            f'"TXT CH version.bind. udp 30 false 512" NOERROR qr,aa,rd 59 {self.vary(0.0001):.9f}s'
        )

    @override
    def turn(self) -> Sequence[str]:
        self.say("[INFO] Reloading")
        for _ in range(self.roll(0, 3)):
            self.ask_service()
        loaded = self.say(f"[INFO] plugin/reload: Running configuration SHA512 = {self.draw_hex(128)}")
        self.say("[INFO] Reloading complete")
        return [loaded]

    def lose_company(self) -> None:
        # Asked of the public resolver now, which has never heard of the zone: slower, and not authoritative.
        self.query(self.draw_kind(), self.draw_company(), "NXDOMAIN", self.vary(0.021), "qr,rd,ra", self.roll(118, 150))

    def lose_company_search(self) -> None:
        suffix = self.pick(("catalog.svc.cluster.local.", "svc.cluster.local.", "cluster.local."))
        self.query(self.draw_kind(), f"{self.draw_company()}{suffix}", "NXDOMAIN", self.vary(0.00012))

    def serve_nothing(self) -> None:
        self.query(self.draw_kind(), self.draw_company(), "SERVFAIL", 2 + self.drawn.random() / 500, "qr,rd")


class Elasticsearch(Maker):
    """The JSON server log of Elasticsearch 7, with many-lined Java traces: an index is refreshed far oftener."""

    name: ClassVar[str] = "elasticsearch: refresh interval shortened"
    share: ClassVar[float] = 0.16
    INDICES: ClassVar[Sequence[str]] = (
        "logs-app-000112",
        "logs-nginx-000087",
        "catalog-v9",
        "customers-v4",
        "metrics-host-000240",
        "audit-000019",
        "suggest-v3",
    )

    def __init__(self, drawn: random.Random) -> None:
        super().__init__(drawn)
        self.live = self.pick(("orders-live-000007", "shipments-live-000031", "tickets-live-000012"))
        self.node = f"es-data-{self.roll(0, 5)}"
        ids = f'"cluster.uuid": "{self.draw_letters(22, MIXED)}", "node.id": "{self.draw_letters(22, MIXED)}"'
        self.ids = ids
        self.collection = self.roll(40_000, 90_000)

    @override
    def list_calm(self) -> Kinds:
        return (
            (40, self.search_slowly),
            (22, self.index_slowly),
            (6, self.collect_garbage),
            (4, self.lose_client),
            (4, self.move_index),
            (3, self.map_index),
            (3, self.roll_over),
            (3, self.turn_green),
            (2, self.deprecate),
            (2, self.authenticate),
            (1.5, self.write_state_slowly),
            (1, self.trigger_collection),
            (1, self.distrust_client),
        )

    @override
    def list_rare(self) -> Sequence[Kind]:
        return (
            self.change_replicas,
            self.lengthen_refresh,
            self.change_recovery,
            self.retain_snapshots,
            self.take_snapshot,
            self.check_disk_slowly,
            self.clean_exporter,
            self.add_template,
            self.verify_repository,
        )

    @override
    def list_sick(self) -> Kinds:
        return (
            (5, self.throttle),
            (5, self.release),
            (7, self.index_live_slowly),
            (5, self.search_live_slowly),
            (4, self.collect_garbage_long),
        )

    def format_line(self, kind: str, level: str, component: str, message: str, more: str = "", end: str = "  }") -> str:
        stamp = f"{self.tell_second()},{self.tell_milli():03d}Z"
        return (
            f'{{"type": "{kind}", "timestamp": "{stamp}", "level": "{level}", "component": "{component}", '
            f'"cluster.name": "shop-prod", "node.name": "{self.node}", "message": "{message}", {more}{self.ids}{end}'
        )

    def note(self, component: str, message: str, level: str = "INFO") -> str:
        return self.say(self.format_line("server", level, component, message))

    def note_slow(self, kind: str, component: str, index: str, took: float, more: str) -> None:
        stamp = f'"took": "{took:.1f}ms", "took_millis": "{int(took)}", '
        self.say(self.format_line(kind, "INFO", component, f"[{index}][{self.roll(0, 5)}]", stamp + more))

    def search_index(self, index: str, took: float) -> None:
        term = self.pick(("status", "sku", "customer_id", "region", "tenant"))
        source = f'{{\\"size\\":{self.pick((10, 20, 50, 100))},\\"query\\":{{\\"term\\":{{\\"{term}\\":'
        source += f'{{\\"value\\":\\"{self.draw_hex(8)}\\"}}}}}}}}'
        more = (
            f'"total_hits": "{self.roll(0, 9000)} hits", "types": "[]", "stats": "[]", '
            f'"search_type": "QUERY_THEN_FETCH", "total_shards": "{self.pick((3, 6, 12))}", "source": "{source}", '
        )
        self.note_slow("index_search_slowlog", "i.s.s.query", index, took, more)

    def search_slowly(self) -> None:
        index = self.pick((*self.INDICES, self.live))
        self.search_index(index, self.vary(1450 if index == self.live and self.hurts() else 240))

    def search_live_slowly(self) -> None:
        self.search_index(self.live, self.vary(1900))

    def index_into(self, index: str, took: float) -> None:
        more = f'"doc_type": "_doc", "id": "{self.draw_letters(20, MIXED)}", "routing": "", '
        self.note_slow("index_indexing_slowlog", "i.i.s.index", index, took, more)

    def index_slowly(self) -> None:
        index = self.pick((*self.INDICES, self.live))
        self.index_into(index, self.vary(800 if index == self.live and self.hurts() else 110))

    def index_live_slowly(self) -> None:
        self.index_into(self.live, self.vary(1300))

    def collect_garbage(self) -> None:
        self.collection += self.roll(2, 30)
        spent = self.roll(251, 330)
        self.note(
            "o.e.m.j.JvmGcMonitorService",
            f"[gc][{self.collection}] overhead, spent [{spent}ms] collecting in the last [1s]",
        )

    def collect_garbage_long(self) -> None:
        self.collection += self.roll(2, 12)
        self.note(
            "o.e.m.j.JvmGcMonitorService",
            f"[gc][{self.collection}] overhead, spent [{self.roll(520, 890)}ms] collecting in the last [1.1s]",
            "WARN",
        )

    def lose_client(self) -> None:
        remote = f"/{self.draw_ip('10.12')}:{self.roll(32768, 60999)}"
        message = (
            "caught exception while handling client http traffic, closing connection "
            f"Netty4HttpChannel{{localAddress=/10.12.4.8:9200, remoteAddress={remote}}}"
        )
        self.say(self.format_line("server", "WARN", "o.e.h.AbstractHttpServerTransport", message, end=" , "))
        self.say('"stacktrace": ["java.io.IOException: Connection reset by peer",')
        for frame in (
            "sun.nio.ch.FileDispatcherImpl.read0(Native Method) ~[?:?]",
            "sun.nio.ch.SocketDispatcher.read(SocketDispatcher.java:39) ~[?:?]",
            "sun.nio.ch.IOUtil.readIntoNativeBuffer(IOUtil.java:276) ~[?:?]",
            "sun.nio.ch.SocketChannelImpl.read(SocketChannelImpl.java:356) ~[?:?]",
            "org.elasticsearch.transport.CopyBytesSocketChannel.doReadBytes(CopyBytesSocketChannel.java:115) ~[?:?]",
            "io.netty.channel.nio.NioEventLoop.processSelectedKey(NioEventLoop.java:719) [netty-transport-4.1.66.jar]",
            "io.netty.util.concurrent.SingleThreadEventExecutor$4.run(SingleThreadEventExecutor.java:986) [netty.jar]",
        ):
            self.say(f'"at {frame}",')
        self.say('"at java.lang.Thread.run(Thread.java:833) [?:?]"] }')

    def move_index(self) -> None:
        index = self.pick(self.INDICES)
        step = '{\\"phase\\":\\"%s\\",\\"action\\":\\"%s\\",\\"name\\":\\"%s\\"}'
        one, other = self.pick(
            (
                (("hot", "rollover", "check-rollover-ready"), ("hot", "rollover", "attempt-rollover")),
                (("hot", "rollover", "attempt-rollover"), ("hot", "rollover", "update-rollover-lifecycle-date")),
                (("hot", "complete", "complete"), ("warm", "forcemerge", "forcemerge")),
            )
        )
        self.note(
            "o.e.x.i.IndexLifecycleTransition",
            f"moving index [{index}] from [{step % one}] to [{step % other}] in policy [logs]",
        )

    def map_index(self) -> None:
        index = self.pick(self.INDICES)
        self.note("o.e.c.m.MetadataMappingService", f"[{index}/{self.draw_letters(22, MIXED)}] update_mapping [_doc]")

    def roll_over(self) -> None:
        index = f"logs-app-{self.roll(113, 260):06d}"
        message = f"[{index}] creating index, cause [rollover_index], templates [logs-app], shards [3]/[1]"
        self.note("o.e.c.m.MetadataCreateIndexService", message)

    def turn_green(self) -> None:
        index = self.pick(self.INDICES)
        self.note(
            "o.e.c.r.a.AllocationService",
            "Cluster health status changed from [YELLOW] to [GREEN] "
            f"(reason: [shards started [[{index}][{self.roll(0, 5)}]]]).",
        )

    def deprecate(self) -> None:
        self.say(
            self.format_line(
                "deprecation.elasticsearch",
                "DEPRECATION",
                "o.e.d.r.a.d.RestGetAction",
                "[types removal] Specifying types in document get requests is deprecated, use the /{index}/_doc/{id} "
                "endpoint instead.",
                '"data_stream.dataset": "deprecation.elasticsearch", ',
            )
        )

    def authenticate(self) -> None:
        self.note(
            "o.e.x.s.a.AuthenticationService",
            f"Authentication of [beats_probe] was terminated by realm [reserved] from /{self.draw_ip('10.12')} "
            "- failed to authenticate user [beats_probe]",
        )

    def write_state_slowly(self) -> None:
        self.note(
            "o.e.g.PersistedClusterStateService",
            f"writing cluster state took [{self.roll(10_100, 12_900)}ms] which is above the warn threshold of "
            f"[10s]; wrote global metadata [false] and metadata for [{self.roll(1, 3)}] indices",
            "WARN",
        )

    def take_snapshot(self) -> None:
        day = self.tell_second()[:10].replace("-", ".")
        name = f"backups:hourly-{day}-{self.draw_letters(10)}/{self.draw_letters(22, MIXED)}"
        self.note("o.e.s.SnapshotsService", f"snapshot [{name}] started")
        self.pass_time(3)
        self.note("o.e.s.SnapshotsService", f"snapshot [{name}] completed with state [SUCCESS]")

    def trigger_collection(self) -> None:
        heap = self.roll(15_800_000_000, 16_300_000_000)
        self.note(
            "o.e.i.b.HierarchyCircuitBreakerService",
            f"attempting to trigger G1GC due to high heap usage [{heap}]",
        )
        self.note(
            "o.e.i.b.HierarchyCircuitBreakerService",
            f"GC did bring memory usage down, before [{heap}], after [{heap - self.roll(10**9, 4 * 10**9)}], "
            f"allocations [{self.roll(1, 80)}], duration [{self.roll(9, 60)}]",
        )

    def distrust_client(self) -> None:
        self.note(
            "o.e.x.c.s.t.n.SecurityNetty4HttpServerTransport",
            "http client did not trust this server's certificate, closing connection Netty4HttpChannel"
            f"{{localAddress=/10.12.4.8:9200, remoteAddress=/{self.draw_ip('10.12')}:{self.roll(32768, 60999)}}}",
            "WARN",
        )

    def change_replicas(self) -> None:
        self.note(
            "o.e.c.m.MetadataUpdateSettingsService",
            f"updating number_of_replicas to [{self.roll(1, 2)}] for indices [{self.pick(self.INDICES)}]",
        )

    def lengthen_refresh(self) -> None:
        index = self.pick(self.INDICES)
        message = f"[{index}] updating [index.refresh_interval] from [1s] to [{self.pick((15, 30, 60))}s]"
        self.note("o.e.c.s.IndexScopedSettings", message)

    def change_recovery(self) -> None:
        message = "updating [indices.recovery.max_bytes_per_sec] from [40mb] to [60mb]"
        self.note("o.e.c.s.ClusterSettings", message)

    def retain_snapshots(self) -> None:
        self.note("o.e.x.s.SnapshotRetentionTask", "starting SLM retention snapshot cleanup task")
        self.note(
            "o.e.x.s.SnapshotRetentionTask", "there are no repositories to fetch, SLM retention snapshot cleanup done"
        )

    def check_disk_slowly(self) -> None:
        self.note(
            "o.e.m.f.FsHealthService",
            f"health check of [/usr/share/elasticsearch/data/nodes/0] took [{self.roll(5005, 7400)}ms] which is "
            "above the warn threshold of [5s]",
            "WARN",
        )

    def clean_exporter(self) -> None:
        day = self.tell_second()[:10].replace("-", ".")
        self.note("o.e.x.m.e.l.LocalExporter", f"cleaning up [1] old indices, newest [.monitoring-es-7-{day}]")

    def add_template(self) -> None:
        self.note(
            "o.e.c.m.MetadataIndexTemplateService", "adding index template [logs-app] for index patterns [logs-app-*]"
        )

    def verify_repository(self) -> None:
        self.note("o.e.r.RepositoriesService", "put repository [backups]")

    @override
    def turn(self) -> Sequence[str]:
        interval = self.pick(("100ms", "200ms", "250ms"))
        message = f"[{self.live}] updating [index.refresh_interval] from [30s] to [{interval}]"
        return [self.note("o.e.c.s.IndexScopedSettings", message)]

    def throttle(self) -> None:
        self.note(
            "o.e.i.e.I.EngineMergeScheduler",
            f"[{self.live}][{self.roll(0, 5)}] now throttling indexing: numMergesInFlight=10, maxNumMerges=9",
        )

    def release(self) -> None:
        self.note(
            "o.e.i.e.I.EngineMergeScheduler",
            f"[{self.live}][{self.roll(0, 5)}] stop throttling indexing: numMergesInFlight=8, maxNumMerges=9",
        )


class MongoDb(Maker):
    """The structured JSON log of MongoDB: two indexes of a busy collection are dropped."""

    name: ClassVar[str] = "mongodb: indexes dropped"
    share: ClassVar[float] = 0.2
    APPS: ClassVar[Sequence[str]] = ("orders-api", "orders-worker", "catalog-api", "backoffice", "reporting")
    COLLECTIONS: ClassVar[Sequence[str]] = ("products", "customers", "carts", "sessions", "stock", "vouchers")

    def __init__(self, drawn: random.Random) -> None:
        super().__init__(drawn)
        self.busy = self.pick(("orders", "payments", "shipments"))
        self.connection = self.roll(10_000, 90_000)
        self.open_connections = self.roll(180, 420)
        self.scanned = self.roll(2_000_000, 9_000_000)

    @override
    def list_calm(self) -> Kinds:
        return (
            (22, self.connect),
            (14, self.disconnect),
            (12, self.query_indexed),
            (7, self.update),
            (7, self.checkpoint),
            (4, self.scan_small),
            (4, self.aggregate),
            (4, self.fetch_oplog),
            (3, self.forbid_monitor),
            (3, self.interrupt),
            (2, self.lose_response),
            (2, self.drop_temporary),
            (1.5, self.refresh_pool),
            (1, self.build_index),
            (1, self.expire),
            (1, self.write_conflict),
        )

    @override
    def list_rare(self) -> Sequence[Kind]:
        return (
            self.drop_other_index,
            self.create_collection,
            self.tell_status_slowly,
            self.rotate,
            self.set_profiling,
            self.change_sync_source,
            self.set_parameter,
            self.sample_oplog,
        )

    @override
    def list_sick(self) -> Kinds:
        return ((9, self.scan_by_customer), (7, self.scan_by_status), (2, self.interrupt), (3, self.connect))

    def note(self, component: str, number: int, context: str, message: str, attr: object, severity: str = "I") -> str:
        component_said = f'"{component}",'.ljust(11)
        number_said = f"{number},".ljust(9)
        said = json.dumps(attr, separators=(",", ":"))
        date = f"{self.tell_second()}.{self.tell_milli():03d}+00:00"
        return self.say(
            f'{{"t":{{"$date":"{date}"}},"s":"{severity}",  "c":{component_said} "id":{number_said}"ctx":"{context}",'
            f'"msg":"{message}","attr":{said}}}'
        )

    def draw_remote(self) -> str:
        return f"{self.draw_ip('10.8')}:{self.roll(32768, 60999)}"

    def pick_connection(self) -> str:
        return f"conn{self.connection - self.roll(0, 300)}"

    def connect(self) -> None:
        self.connection += 1
        self.open_connections += 1
        remote = self.draw_remote()
        attr = {
            "remote": remote,
            "uuid": self.draw_uuid(),
            "connectionId": self.connection,
            "connectionCount": self.open_connections,
        }
        self.note("NETWORK", 22943, "listener", "Connection accepted", attr)
        self.pass_time(0.002)
        context = f"conn{self.connection}"
        client = {
            "remote": remote,
            "client": context,
            "doc": {
                "application": {"name": self.pick(self.APPS)},
                "driver": {"name": "nodejs|Mongoose", "version": "5.9.1"},
                "platform": "Node.js v18.19.0, LE",
                "os": {"name": "linux", "architecture": "x64", "version": "5.15.0-1051-aws", "type": "Linux"},
            },
        }
        self.note("NETWORK", 51800, context, "client metadata", client)
        if self.happens(0.5):
            attr = {
                "mechanism": "SCRAM-SHA-256",
                "speculative": True,
                "principalName": "shop",
                "authenticationDatabase": "admin",
                "remote": remote,
                "extraInfo": {},
            }
            self.note("ACCESS", 20250, context, "Authentication succeeded", attr)

    def disconnect(self) -> None:
        self.open_connections = max(90, self.open_connections - self.roll(1, 2))
        gone = self.pick_connection()
        attr = {
            "remote": self.draw_remote(),
            "uuid": self.draw_uuid(),
            "connectionId": int(gone[4:]),
            "connectionCount": self.open_connections,
        }
        self.note("NETWORK", 22944, gone, "Connection ended", attr)

    def note_slow(self, namespace: str, command: Mapping[str, object], plan: str, examined: int, took: float) -> None:
        attr = {
            "type": "command",
            "ns": f"shop.{namespace}",
            "appName": self.pick(self.APPS),
            "command": {**command, "lsid": {"id": {"$uuid": self.draw_uuid()}}, "$db": "shop"},
            "planSummary": plan,
            "keysExamined": 0 if plan == "COLLSCAN" else examined,
            "docsExamined": examined,
            "numYields": examined // 1100,
            "nreturned": self.roll(0, 60),
            "queryHash": self.draw_hex(8).upper(),
            "reslen": self.roll(230, 48_000),
            "locks": {"Global": {"acquireCount": {"r": examined // 1100 + 1}}},
            "remote": self.draw_remote(),
            "protocol": "op_msg",
            "durationMillis": int(took),
        }
        self.note("COMMAND", 51803, self.pick_connection(), "Slow query", attr)

    def find(self, collection: str, filters: Mapping[str, object], sort: Mapping[str, object]) -> Mapping[str, object]:
        return {"find": collection, "filter": filters, "sort": sort, "limit": self.pick((20, 50, 100))}

    def draw_object_id(self) -> Mapping[str, object]:
        return {"$oid": self.draw_hex(24)}

    def query_indexed(self) -> None:
        command = self.find(self.pick(self.COLLECTIONS), {"customerId": self.draw_object_id()}, {"_id": -1})
        self.note_slow(
            str(command["find"]), command, "IXSCAN { customerId: 1 }", self.roll(60, 9000), self.vary(150, 0.3)
        )

    def scan_small(self) -> None:
        # A small collection without an index: read whole each time, and never the matter.
        command = self.find("banners", {"active": True}, {"priority": 1})
        self.note_slow("banners", command, "COLLSCAN", self.roll(4100, 4200), self.vary(118, 0.2))

    def scan_by_customer(self) -> None:
        self.scanned += 1
        command = self.find(self.busy, {"customerId": self.draw_object_id()}, {"createdAt": -1})
        self.note_slow(self.busy, command, "COLLSCAN", self.scanned, self.vary(5200, 0.4))

    def scan_by_status(self) -> None:
        self.scanned += 1
        command = self.find(self.busy, {"status": self.pick(("PAID", "OPEN"))}, {"createdAt": -1})
        self.note_slow(self.busy, command, "COLLSCAN", self.scanned, self.vary(6100, 0.4))

    def update(self) -> None:
        collection = self.pick((*self.COLLECTIONS, self.busy))
        attr = {
            "type": "update",
            "ns": f"shop.{collection}",
            "command": {
                "q": {"_id": self.draw_object_id()},
                "u": {"$set": {"touchedAt": {"$date": f"{self.tell_second()}Z"}}},
            },
            "planSummary": "IDHACK",
            "keysExamined": 1,
            "docsExamined": 1,
            "nMatched": 1,
            "nModified": 1,
            "numYields": 0,
            "durationMillis": int(self.vary(900 if self.hurts() else 125, 0.3)),
        }
        self.note("WRITE", 51803, self.pick_connection(), "Slow query", attr)

    def checkpoint(self) -> None:
        snapshot = int(self.at * 31) % 90_000_000
        message = (
            f"[{int(self.at)}:{self.tell_micro():06d}][1:0x7f2b311a4700], WT_SESSION.checkpoint: "
            f"[WT_VERB_CHECKPOINT_PROGRESS] saving checkpoint snapshot min: {snapshot}, snapshot max: {snapshot} "
            f"snapshot count: 0, oldest timestamp: ({int(self.at) - 300}, 1) , meta checkpoint timestamp: "
            f"({int(self.at)}, {self.roll(1, 40)}) base write gen: 18842"
        )
        self.note("STORAGE", 22430, "Checkpointer", "WiredTiger message", {"message": message})

    def aggregate(self) -> None:
        collection = self.pick(self.COLLECTIONS)
        command = {
            "aggregate": collection,
            "pipeline": [{"$match": {"sku": self.draw_hex(6)}}, {"$group": {"_id": "$shop"}}],
        }
        self.note_slow(collection, command, "IXSCAN { sku: 1 }", self.roll(9000, 40_000), self.vary(310, 0.3))

    def fetch_oplog(self) -> None:
        attr = {
            "type": "command",
            "ns": "local.oplog.rs",
            "command": {"getMore": self.roll(10**17, 9 * 10**17), "collection": "oplog.rs", "maxTimeMS": 5000},
            "originatingCommand": {"find": "oplog.rs", "tailable": True, "awaitData": True},
            "planSummary": "COLLSCAN",
            "nreturned": self.roll(1, 90),
            "durationMillis": int(self.vary(140, 0.2)),
        }
        self.note("COMMAND", 51803, self.pick_connection(), "Slow query", attr)

    def forbid_monitor(self) -> None:
        error = "Unauthorized: not authorized on admin to execute command { getDiagnosticData: 1.0 }"
        self.note("ACCESS", 20436, self.pick_connection(), "Checking authorization failed", {"error": error})

    def interrupt(self) -> None:
        attr = {"opId": self.roll(10**7, 9 * 10**7)}
        self.note("-", 20883, self.pick_connection(), "Interrupted operation as its client disconnected", attr)

    def lose_response(self) -> None:
        attr = {
            "error": {"code": 6, "codeName": "HostUnreachable", "errmsg": "Broken pipe"},
            "remote": self.draw_remote(),
            "connectionId": self.connection - self.roll(1, 300),
        }
        message = "Error sending response to client. Ending connection from remote"
        self.note("EXECUTOR", 22989, self.pick_connection(), message, attr)

    def drop_temporary(self) -> None:
        name = f"reports.tmp_agg_{self.draw_hex(8)}"
        self.note("COMMAND", 518070, self.pick_connection(), "CMD: drop", {"namespace": name})

    def refresh_pool(self) -> None:
        attr = {"hostAndPort": f"mongo-{self.roll(0, 2)}.mongo.data:27017", "error": "PooledConnectionsDropped"}
        self.note("CONNPOOL", 22572, "ReplNetwork", "Dropping all pooled connections", attr)

    def build_index(self) -> None:
        name = f"tmp_agg_{self.draw_hex(8)}"
        uuid = {"uuid": {"$uuid": self.draw_uuid()}}
        attr: Mapping[str, object] = {
            "namespace": f"reports.{name}",
            "buildUUID": uuid,
            "properties": {"key": {"day": 1}},
        }
        self.note("INDEX", 20384, self.pick_connection(), "Index build: starting", attr)
        self.pass_time(0.05)
        attr = {"buildUUID": uuid, "namespace": f"reports.{name}", "index": "day_1"}
        self.note("INDEX", 20345, self.pick_connection(), "Index build: done building", attr)

    def expire(self) -> None:
        attr = {
            "namespace": "shop.sessions",
            "index": "expiresAt_1",
            "numDeleted": self.roll(40, 900),
            "durationMillis": self.roll(4, 60),
        }
        self.note("INDEX", 5479200, "TTLMonitor", "Deleted expired documents using index", attr)

    def write_conflict(self) -> None:
        attr = {"operation": "update", "attempts": self.roll(2, 9), "ns": "shop.stock"}
        self.note("WRITE", 23802, self.pick_connection(), "Caught WriteConflictException", attr, "W")

    def drop_index(self, namespace: str, index: str) -> str:
        attr = {"namespace": namespace, "uuid": {"uuid": {"$uuid": self.draw_uuid()}}, "indexes": json.dumps(index)}
        return self.note("COMMAND", 51806, self.pick_connection(), "CMD: dropIndexes", attr)

    def drop_other_index(self) -> None:
        self.drop_index(f"reports.daily_{self.roll(2019, 2022)}", self.pick(("day_1", "shop_1_day_1", "sku_1")))

    def create_collection(self) -> None:
        attr = {"namespace": f"reports.daily_{self.draw_hex(6)}", "uuidDisposition": "generated", "options": {}}
        self.note("STORAGE", 20320, self.pick_connection(), "createCollection", attr)

    def tell_status_slowly(self) -> None:
        stats = {"after basic": 0, "after connections": 4, "after tcmalloc": 902, "at end": 1104}
        self.note("COMMAND", 20499, "ftdc", "serverStatus was very slow", {"timeStats": stats})

    def rotate(self) -> None:
        attr = {"pid": 1, "port": 27017, "host": "mongo-0"}
        self.note("CONTROL", 23166, "LogRotate", "Log rotation initiated", attr)

    def set_profiling(self) -> None:
        attr = {
            "from": {"level": 0, "slowms": 100, "sampleRate": 1.0},
            "to": {"level": 1, "slowms": 100, "sampleRate": 0.1},
        }
        self.note("COMMAND", 48742, self.pick_connection(), "Profiler settings changed", attr)

    def change_sync_source(self) -> None:
        attr = {"syncSource": f"mongo-{self.roll(1, 2)}.mongo.data:27017"}
        self.note("REPL", 21799, "BackgroundSync", "Sync source candidate chosen", attr)

    def set_parameter(self) -> None:
        attr = {"parameterName": "ttlMonitorSleepSecs", "oldValue": 60, "newValue": 30}
        self.note("COMMAND", 23435, self.pick_connection(), "Successfully set parameter to new value", attr)

    def sample_oplog(self) -> None:
        attr = {"numTruncated": self.roll(1, 4), "durationMicros": self.roll(900, 90_000)}
        self.note(
            "STORAGE",
            22402,
            "OplogCapMaintainerThread-local.oplog.rs",
            "WiredTiger record store oplog truncation",
            attr,
        )

    @override
    def turn(self) -> Sequence[str]:
        first = self.drop_index(f"shop.{self.busy}", "customerId_1_createdAt_-1")
        for _ in range(self.roll(1, 3)):
            self.pick((self.disconnect, self.checkpoint, self.query_indexed))()
            self.pass_time(0.3)
        return [first, self.drop_index(f"shop.{self.busy}", "status_1_createdAt_-1")]


class RabbitMq(Maker):
    """The log of RabbitMQ, connections opened, let in and closed in strict turn: the memory watermark is set lower."""

    name: ClassVar[str] = "rabbitmq: memory watermark lowered"
    share: ClassVar[float] = 0.08
    USERS: ClassVar[Sequence[tuple[str, str]]] = (
        ("orders", "shop"),
        ("billing", "shop"),
        ("mailer", "notifications"),
        ("warehouse", "shop"),
        ("celery", "jobs"),
        ("exporter", "/"),
    )

    def __init__(self, drawn: random.Random) -> None:
        super().__init__(drawn)
        self.node = f"rabbit@rmq-{self.roll(0, 2)}"
        self.here = self.draw_ip("10.3")
        self.process = self.roll(2_000, 9_000)
        self.total = self.pick((8_589_934_592, 17_179_869_184, 34_359_738_368))
        self.allowed = 0
        self.alarmed = False

    @override
    def open(self) -> None:
        self.note("<0.220.0>", "Running boot step rabbit_alarm defined by app rabbit")
        self.set_watermark(0.4)
        self.note(
            "<0.264.0>",
            f"Enabling free disk space monitoring (disk free space: 88046829568, total memory: {self.total})",
        )
        self.note("<0.264.0>", "Disk free limit set to 2000MB")
        self.note("<0.220.0>", "Server startup complete; 5 plugins started.")

    @override
    def list_calm(self) -> Kinds:
        return (
            (100, self.serve),
            (2.2, self.lose_client),
            (1, self.miss_heartbeats),
            (1.2, self.refuse_guest),
            (1, self.declare_otherwise),
            (0.7, self.write_segments),
            (0.5, self.count_files),
            (0.4, self.query_management),
        )

    @override
    def list_rare(self) -> Sequence[Kind]:
        return (
            self.create_user,
            self.set_permissions,
            self.elect,
            self.rebalance,
            self.set_policy,
            self.add_vhost,
            self.renew_listener,
        )

    @override
    def list_sick(self) -> Kinds:
        return ((5, self.move_alarm), (2, self.miss_heartbeats), (1.5, self.close_idle))

    def note(self, process: str, message: str, level: str = "info") -> str:
        return self.say(
            f"{self.tell_second().replace('T', ' ')}.{self.tell_micro():06d}+00:00 [{level}] {process} {message}"
        )

    def advance_process(self) -> str:
        self.process += self.roll(3, 40)
        return f"<0.{self.process}.{self.process >> 15}>"

    def draw_ends(self) -> str:
        return f"{self.draw_ip('10.3')}:{self.roll(32768, 60999)} -> {self.here}:5672"

    def draw_client(self) -> tuple[str, str, str]:
        user, vhost = self.pick(self.USERS)
        return self.draw_ends(), user, vhost

    def serve(self) -> None:
        process = self.advance_process()
        ends, user, vhost = self.draw_client()
        self.note(process, f"accepting AMQP connection {process} ({ends})")
        self.pass_time(0.004)
        said = f"connection {process} ({ends}): user '{user}' authenticated and granted access to vhost '{vhost}'"
        self.note(process, said)
        self.pass_time(0.9 if self.hurts() else 0.05)
        self.note(process, f"closing AMQP connection {process} ({ends}, vhost: '{vhost}', user: '{user}')")

    def lose_client(self) -> None:
        process = self.advance_process()
        ends, user, vhost = self.draw_client()
        self.note(process, f"closing AMQP connection {process} ({ends}, vhost: '{vhost}', user: '{user}'):", "warning")
        self.note(process, "client unexpectedly closed TCP connection", "warning")

    def miss_heartbeats(self) -> None:
        process = self.advance_process()
        self.note(process, f"closing AMQP connection {process} ({self.draw_ends()}):", "error")
        self.note(process, "missed heartbeats from client, timeout: 60s", "error")

    def refuse_guest(self) -> None:
        self.note(self.advance_process(), "HTTP access denied: user 'guest' - invalid credentials", "warning")

    def declare_otherwise(self) -> None:
        process = self.advance_process()
        self.note(
            process,
            f"Channel error on connection {process} ({self.draw_ends()}, vhost: 'jobs', user: 'celery'), channel 1:",
            "error",
        )
        self.note(
            process,
            "operation queue.declare caused a channel exception precondition_failed: inequivalent arg 'x-max-priority' "
            "for queue 'celery.low' in vhost 'jobs': received none but current is the value '10' of type 'long'",
            "error",
        )

    def write_segments(self) -> None:
        self.note(
            "<0.231.0>",
            f"ra_log_segment_writer in 'quorum_queues': flushed {self.roll(2, 60)} mem tables in {self.roll(8, 400)}ms",
            "debug",
        )

    def count_files(self) -> None:
        self.note(
            "<0.604.0>", "Could not infer the number of file handles used: {badmatch,{error,{exit_status,1}}}", "error"
        )

    def query_management(self) -> None:
        self.note(
            self.advance_process(),
            f"Management delegate query returned errors: [{{<0.{self.roll(400, 900)}.0>,timeout}}]",
            "warning",
        )

    def create_user(self) -> None:
        self.note(self.advance_process(), f"Created user 'ci-{self.draw_letters(5)}'")

    def set_permissions(self) -> None:
        user, vhost = self.pick(self.USERS)
        said = f"Successfully set permissions for user '{user}' in virtual host '{vhost}' to '.*', '.*', '.*'"
        self.note(self.advance_process(), said)

    def elect(self) -> None:
        queue = f"queue '{self.pick(('mails', 'labels', 'invoices'))}' in vhost 'shop'"
        process, term = f"<0.{self.roll(700, 900)}.0>", self.roll(3, 19)
        self.note(process, f"{queue}: follower -> pre_vote in term: {term - 1} machine version: 3", "notice")
        self.note(process, f"{queue}: candidate -> leader in term: {term} machine version: 3", "notice")

    def rebalance(self) -> None:
        self.note(self.advance_process(), "Starting queue rebalance operation: 'quorum' for vhosts matching '.*'")
        self.pass_time(2)
        self.note(self.advance_process(), "Finished queue rebalance operation")

    def set_policy(self) -> None:
        said = f"Setting policy 'short-mails' in vhost 'notifications': {{<<\"max-length\">>,{self.roll(5, 20)}000}}"
        self.note(self.advance_process(), said)

    def add_vhost(self) -> None:
        self.note(self.advance_process(), f"Adding vhost 'ci-{self.draw_letters(5)}' (description: '', tags: [])")

    def renew_listener(self) -> None:
        self.note("<0.690.0>", "Cleared PEM certificate cache of the TLS listener on [::]:5671")

    def set_watermark(self, share: float) -> str:
        self.allowed = int(self.total * share)
        mega = 1_048_576
        return self.note(
            "<0.262.0>",
            f"Memory high watermark set to {self.allowed // mega} MiB ({self.allowed} bytes) of "
            f"{self.total // mega} MiB ({self.total} bytes) total",
        )

    @override
    def turn(self) -> Sequence[str]:
        return [self.set_watermark(self.pick((0.04, 0.05, 0.06)))]

    def move_alarm(self) -> None:
        self.alarmed = not self.alarmed
        if self.alarmed:
            used = int(self.allowed * (1.001 + self.drawn.random() / 12))
            self.note("<0.262.0>", f"vm_memory_high_watermark set. Memory used:{used} allowed:{self.allowed}")
            stars = "*" * 58
            for said in (
                f"memory resource limit alarm set on node '{self.node}'.",
                "",
                stars,
                "*** Publishers will be blocked until this alarm clears ***",
                stars,
            ):
                self.note("<0.260.0>", said, "warning")
            return
        used = int(self.allowed * (0.93 + self.drawn.random() / 16))
        self.note("<0.262.0>", f"vm_memory_high_watermark clear. Memory used:{used} allowed:{self.allowed}")
        self.note("<0.260.0>", f"memory resource limit alarm cleared on node '{self.node}'", "warning")
        self.note("<0.260.0>", "memory resource limit alarm cleared across the cluster", "warning")

    def close_idle(self) -> None:
        process = self.advance_process()
        ends = self.draw_ends()
        said = f"closing AMQP connection {process} ({ends}, vhost: 'shop', user: 'orders'):"
        self.note(process, said, "warning")
        self.note(process, "{writer,send_failed,{error,timeout}}", "warning")


class GoService(Maker):
    """A Go service's slog JSON, each request begun and ended in strict turn: a feature flag is flipped."""

    name: ClassVar[str] = "slog: feature flag flipped"
    share: ClassVar[float] = 0.3
    PATHS: ClassVar[Sequence[tuple[str, str]]] = (
        ("GET", "/v2/prices/{}"),
        ("GET", "/v2/prices/{}/history"),
        ("POST", "/v2/baskets/{}/quote"),
        ("GET", "/v2/products/{}"),
        ("GET", "/v2/promotions/{}"),
        ("PUT", "/v2/products/{}/labels"),
    )
    OTHER_FLAGS: ClassVar[Sequence[str]] = (
        "ui.compact-badges",
        "promo.spring-teaser",
        "labels.bulk-edit",
        "search.new-synonyms",
    )

    def __init__(self, drawn: random.Random) -> None:
        super().__init__(drawn)
        self.flag = self.pick(("pricing.live-quotes", "pricing.per-tenant-rates", "pricing.bypass-snapshot"))
        self.flag_version = self.roll(200, 900)
        self.partner = self.pick(("quotes.fxdesk.example", "rates.meridian.example"))

    @override
    def list_calm(self) -> Kinds:
        return (
            (100, self.serve),
            (1.6, self.sync_flags),
            (1.3, self.tell_pool),
            (1.2, self.tell_cache),
            (1, self.commit_offsets),
            (0.8, self.retry_publish),
            (0.7, self.query_slowly),
            (0.6, self.end_job),
            (0.6, self.refuse_token),
            (0.5, self.fetch_quote),
            (0.4, self.reset_peer),
            (0.4, self.tell_runtime),
        )

    @override
    def list_rare(self) -> Sequence[Kind]:
        return (
            self.change_other_flag,
            self.change_other_flag,
            self.reload_certificate,
            self.assign_partitions,
            self.lead,
            self.warm_snapshot,
            self.refresh_token,
        )

    @override
    def list_sick(self) -> Kinds:
        return ((10, self.fetch_quote), (2, self.wait_for_quote), (1, self.query_slowly))

    def note(self, level: str, message: str, **fields: object) -> str:
        nanos = self.tell_micro() * 1000 + self.roll(0, 999)
        head = {"time": f"{self.tell_second()}.{nanos:09d}Z", "level": level, "msg": message}
        return self.say(json.dumps({**head, **fields}, separators=(",", ":")))

    def draw_request_id(self) -> str:
        return "01HX" + self.draw_letters(22, BASE32)

    def serve(self) -> None:
        request_id = self.draw_request_id()
        method, path = self.pick(self.PATHS)
        path = path.format(f"SKU-{self.roll(10_000, 99_999)}")
        self.note(
            "INFO", "request started", request_id=request_id, method=method, path=path, remote=self.draw_ip("10.6")
        )
        priced = "prices" in path or "quote" in path
        hurt = priced and self.hurts()
        took = self.vary(430, 0.6) if hurt else self.vary(9, 0.6)
        self.at += took / 1000
        status = self.pick((200, 200, 200, 200, 200, 200, 200, 304, 404)) if not hurt or self.happens(0.95) else 504
        self.note(
            "INFO",
            "request finished",
            request_id=request_id,
            status=status,
            bytes=self.roll(180, 9000),
            duration_ms=round(took, 3),
        )

    def sync_flags(self) -> None:
        self.note("INFO", "flags synced", count=42, version=self.flag_version, changed=0)

    def tell_pool(self) -> None:
        used = self.roll(14, 20) if self.hurts() else self.roll(2, 9)
        self.note("INFO", "db pool", open=20, in_use=used, idle=20 - used, wait_count=self.roll(0, 3))

    def tell_cache(self) -> None:
        self.note(
            "INFO",
            "snapshot cache",
            entries=self.roll(48_100, 48_900),
            hit_ratio=round(0.97 + self.drawn.random() / 50, 4),
        )

    def commit_offsets(self) -> None:
        self.note(
            "INFO", "offsets committed", topic="product-events", partition=self.roll(0, 11), offset=int(self.at * 7)
        )

    def retry_publish(self) -> None:
        self.note("WARN", "publish failed, retrying", topic="price-views", attempt=1, error="kafka: request timed out")

    def query_slowly(self) -> None:
        self.note(
            "WARN", "slow query", statement="list_promotions_by_region", duration_ms=round(self.vary(260, 0.2), 1)
        )

    def end_job(self) -> None:
        job = self.pick(("expire-baskets", "rebuild-facets", "sum-views"))
        self.note("INFO", "job finished", job=job, items=self.roll(0, 900), duration_ms=round(self.vary(900), 1))

    def refuse_token(self) -> None:
        self.note("WARN", "token rejected", reason="expired", client=self.pick(("pos-terminal", "legacy-export")))

    def fetch_quote(self) -> None:
        took = self.vary(380, 0.5) if self.hurts() else self.vary(120, 0.3)
        self.note(
            "INFO", "quote fetched", host=self.partner, tenant=f"t-{self.roll(100, 260)}", duration_ms=round(took, 1)
        )

    def wait_for_quote(self) -> None:
        tenant = f"t-{self.roll(100, 260)}"
        self.note("WARN", "quote abandoned", host=self.partner, tenant=tenant, error="context deadline exceeded")

    def reset_peer(self) -> None:
        self.note(
            "ERROR", "write response", error=f"write tcp 10.6.0.9:8080->{self.draw_ip('10.6')}:41822: broken pipe"
        )

    def tell_runtime(self) -> None:
        self.note(
            "INFO",
            "runtime",
            goroutines=self.roll(120, 190),
            heap_mb=self.roll(210, 340),
            gc_cycles=int(self.at / 9),
        )

    def change_flag(self, flag: str, before: bool, after: bool) -> str:
        self.flag_version += 1
        actor = self.pick(("m.okafor", "l.svensson", "release-bot"))
        return self.note(
            "INFO", "flag changed", flag=flag, **{"from": before, "to": after}, version=self.flag_version, actor=actor
        )

    def change_other_flag(self) -> None:
        after = self.happens(0.5)
        self.change_flag(self.pick(self.OTHER_FLAGS), not after, after)

    def reload_certificate(self) -> None:
        self.note("INFO", "certificate reloaded", subject="CN=pricing.shop.svc", not_after="2026-01-30T11:02:09Z")

    def assign_partitions(self) -> None:
        self.note(
            "INFO",
            "partitions assigned",
            topic="product-events",
            partitions=[0, 3, 6, 9],
            generation=self.roll(30, 60),
        )

    def lead(self) -> None:
        self.note("INFO", "lease renewed as leader", lease="pricing-jobs", holder=self.draw_pod("pricing"))

    def warm_snapshot(self) -> None:
        self.note("INFO", "price snapshot loaded", rows=self.roll(480_000, 490_000), duration_ms=self.roll(4000, 6000))

    def refresh_token(self) -> None:
        self.note("INFO", "partner token refreshed", host=self.partner, expires_in_s=86_400)

    @override
    def turn(self) -> Sequence[str]:
        return [self.change_flag(self.flag, before=False, after=True)]


class NodeService(Maker):
    """A Node.js service's pino JSON, its time in epoch milliseconds: a cache's time to live shrinks."""

    name: ClassVar[str] = "pino: cache ttl shortened"
    share: ClassVar[float] = 0.2
    ROUTES: ClassVar[Sequence[str]] = (
        "/api/products/{}",
        "/api/products/{}/reviews",
        "/api/categories/{}",
        "/api/cart/{}",
    )

    def __init__(self, drawn: random.Random) -> None:
        super().__init__(drawn)
        self.host = self.draw_pod("storefront-bff")
        self.number = self.roll(40_000, 90_000)
        self.revision = self.roll(300, 700)

    @override
    def list_calm(self) -> Kinds:
        return (
            (60, self.serve_some),
            (3, self.check_health),
            (1.5, self.tell_loop),
            (1.5, self.poll_settings),
            (1.2, self.warn_slow_images),
            (1, self.abort),
            (1, self.render),
            (1, self.track),
            (0.8, self.lose_session),
            (0.6, self.fail_recommendations),
            (0.5, self.rotate_key),
        )

    @override
    def list_rare(self) -> Sequence[Kind]:
        return (
            self.change_other_setting,
            self.change_other_setting,
            self.reconnect_redis,
            self.warn_deprecated,
            self.load_translations,
            self.collect_fully,
            self.purge_category,
        )

    @override
    def list_sick(self) -> Kinds:
        return ((8, self.call_catalog), (2, self.limit_catalog), (1, self.tell_loop))

    def note(self, level: int, message: str, **fields: object) -> str:
        head = {"level": level, "time": int(self.at * 1000), "pid": 1, "hostname": self.host}
        return self.say(json.dumps({**head, **fields, "msg": message}, separators=(",", ":")))

    def serve_some(self) -> None:
        """Write up to three requests at once: their lines interleave, as those of one event loop do."""
        begun = []
        for _ in range(self.pick((1, 1, 2, 3))):
            self.number += 1
            request = f"req-{self.number:x}"
            url = self.pick(self.ROUTES).format(self.roll(1000, 9999))
            asked = {
                "method": "GET",
                "url": url,
                "hostname": "shop.example",
                "remoteAddress": self.draw_ip("10.9"),
                "remotePort": self.roll(32768, 60999),
            }
            self.note(30, "incoming request", reqId=request, req=asked)
            self.pass_time(0.001)
            begun.append((request, url))
        self.drawn.shuffle(begun)
        for request, url in begun:
            self.end(request, url)

    def end(self, request: str, url: str) -> None:
        key = "catalog:" + url.removeprefix("/api/").replace("/", ":")
        took = self.vary(3.4)
        if "/cart/" not in url:
            missed = self.happens(0.06) or (self.hurts() and self.happens(0.75))
            self.note(20, "cache miss" if missed else "cache hit", reqId=request, key=key)
            if missed:
                took = self.vary(190 if self.hurts() else 60)
        self.at += took / 1000
        status = 200 if self.happens(0.985) else 404
        if took > 500 and self.happens(0.1):
            status = 503
        done: Mapping[str, object] = {"statusCode": status}
        self.note(30, "request completed", reqId=request, res=done, responseTime=round(took + self.drawn.random(), 12))

    def check_health(self) -> None:
        self.note(20, "health checked", redis="up", catalog="up", uptime=int(self.at) % 800_000)

    def tell_loop(self) -> None:
        delay = self.vary(38 if self.hurts() else 11, 0.2)
        self.note(30, "event loop", delayMsP99=round(delay, 2), heapUsedMb=self.roll(180, 260))

    def poll_settings(self) -> None:
        self.note(20, "settings polled", name="settings", revision=self.revision, changed={})

    def warn_slow_images(self) -> None:
        self.note(40, "image variant missing, original served", sku=f"SKU-{self.roll(10_000, 99_999)}")

    def abort(self) -> None:
        self.note(40, "request aborted by the client", reqId=f"req-{self.number - self.roll(1, 90):x}")

    def render(self) -> None:
        self.note(30, "page rendered", template=self.pick(("pdp", "plp", "home")), ms=round(self.vary(22), 1))

    def track(self) -> None:
        self.note(20, "events flushed", sink="clickstream", count=self.roll(20, 400))

    def lose_session(self) -> None:
        self.note(40, "session not found, a new one begun", sid=self.draw_hex(16))

    def fail_recommendations(self) -> None:
        err = {"type": "TimeoutError", "message": "recommendations took longer than 150ms", "code": "ETIMEDOUT"}
        self.note(50, "recommendations left out", err=err)

    def rotate_key(self) -> None:
        self.note(30, "signing keys fetched", name="auth", keys=2, kid=self.draw_hex(8))

    def apply_settings(self, changed: Mapping[str, object]) -> str:
        self.revision += 1
        return self.note(30, "settings applied", name="settings", revision=self.revision, changed=changed)

    def change_other_setting(self) -> None:
        share = round(self.drawn.random(), 2)
        self.apply_settings(
            self.pick(
                (
                    {"banner.text": ["Spring sale", "Spring sale: last days"]},
                    {"search.maxSuggestions": [8, self.roll(5, 12)]},
                    {"clickstream.sampleRate": [0.5, share]},
                    {"reviews.pageSize": [10, self.pick((8, 12, 15))]},
                    {"session.cookie.maxAgeSeconds": [86400, self.pick((43200, 172800))]},
                )
            )
        )

    def reconnect_redis(self) -> None:
        self.note(40, "redis connection closed, reconnecting", attempt=1)
        self.pass_time(0.05)
        self.note(30, "redis ready", host="redis-master.cache", db=0)

    def warn_deprecated(self) -> None:
        self.note(40, "DEP0170: the url carries an empty port", code="DEP0170")

    def load_translations(self) -> None:
        self.note(30, "translations loaded", locale=self.pick(("de", "fr", "nl", "pl")), keys=self.roll(4100, 4200))

    def collect_fully(self) -> None:
        self.note(30, "mark-sweep finished", ms=round(self.vary(70, 0.2), 1), reclaimedMb=self.roll(30, 90))

    def purge_category(self) -> None:
        self.note(30, "category purged from the cache", category=self.roll(1000, 9999), keys=self.roll(2, 60))

    @override
    def turn(self) -> Sequence[str]:
        before, after = self.pick(((900, 9), (3600, 6), (1800, 5)))
        return [self.apply_settings({"catalog.cache.ttlSeconds": [before, after]})]

    def call_catalog(self) -> None:
        took = round(self.vary(180), 1)
        self.note(20, "catalog called", name="catalog", path=f"/internal/products/{self.roll(1000, 9999)}", ms=took)

    def limit_catalog(self) -> None:
        self.note(40, "catalog asked us to slow down", name="catalog", statusCode=429, retryAfterMs=self.roll(200, 900))


class VpcCni(Maker):
    """The ipamd log of the AWS VPC CNI: it starts anew with fewer warm addresses, and pods wait for theirs."""

    name: ClassVar[str] = "vpc-cni: warm targets lowered"
    share: ClassVar[float] = 0.3
    DEPLOYMENTS: ClassVar[Sequence[str]] = ("batch-import", "orders-api", "mailer", "resizer", "nightly-report")

    def __init__(self, drawn: random.Random) -> None:
        super().__init__(drawn)
        self.enis = [f"eni-{self.draw_hex(17)}" for _ in range(3)]
        self.cidr = self.roll(1, 90)
        self.primary = [self.draw_address() for _ in self.enis]
        self.warm, self.minimum = self.pick(((8, 30), (10, 40), (6, 25)))
        self.total = self.minimum + self.warm
        self.used = self.minimum - 4
        self.calls = self.roll(400, 900)

    @override
    def open(self) -> None:
        self.start()

    @override
    def list_calm(self) -> Kinds:
        return (
            (14, self.add),
            (14, self.delete),
            (14, self.tell_pool),
            (8, self.reconcile),
            (5, self.find_interfaces),
            (3, self.keep_primary),
            (2, self.delete_unknown),
            (2, self.skip_prefix),
            (1.5, self.refresh_token),
            (1.5, self.read_node),
            (1, self.scrape),
            (1, self.cool_down),
        )

    @override
    def list_rare(self) -> Sequence[Kind]:
        return (self.retag, self.change_rules, self.move_interface, self.see_security_groups, self.conflict, self.leak)

    @override
    def list_sick(self) -> Kinds:
        return ((5, self.add_in_vain), (5, self.grow), (3, self.tell_pool), (1.5, self.throttle))

    def note(self, level: str, caller: str, message: str) -> str:
        return self.say(
            f'{{"level":"{level}","ts":"{self.tell_second()}.{self.tell_milli():03d}Z","caller":"{caller}","msg":"{message}"}}'
        )

    def draw_address(self) -> str:
        return f"10.0.{self.cidr + self.roll(0, 7)}.{self.roll(4, 250)}"

    def start(self) -> Sequence[str]:
        """Write the lines of a start, and give back those of the two targets."""
        self.note("info", "aws-k8s-agent/main.go:33", "Starting L-IPAMD v1.18.2  ...")
        self.note("info", "aws-k8s-agent/main.go:46", "Testing communication with server")
        self.pass_time(0.1)
        version = "v1.29+. git version: v1.29.4-eks-036c24b. git tree state: clean. platform: linux/amd64"
        message = f"Successful communication with the Cluster! Cluster Version is: {version}"
        self.note("info", "wait/loop.go:50", message)
        self.note("debug", "ipamd/ipamd.go:407", "Discovered region: eu-central-1")
        self.note("info", "aws-k8s-agent/main.go:62", "Custom networking enabled false")
        self.note("debug", "ipamd/ipamd.go:412", "Using WARM_ENI_TARGET 1")
        warm = self.note("debug", "ipamd/ipamd.go:415", f"Using WARM_IP_TARGET {self.warm}")
        minimum = self.note("debug", "ipamd/ipamd.go:418", f"Using MINIMUM_IP_TARGET {self.minimum}")
        self.note("info", "ipamd/ipamd.go:430", "Prefix Delegation enabled false")
        self.note("debug", "ipamd/ipamd.go:441", "Start node init")
        self.note("debug", "ipamd/ipamd.go:472", "Max ip per ENI 14 and max prefixes per ENI 0")
        self.note("info", "ipamd/ipamd.go:498", "Serving RPC Handler version v1.18.2 on 127.0.0.1:50051")
        return [warm, minimum]

    def draw_sandbox(self) -> str:
        return self.draw_hex(64)

    def ask(self, sandbox: str) -> None:
        net = f"/var/run/netns/cni-{self.draw_uuid()}"
        self.note("info", "rpc/rpc.pb.go:713", f"Received AddNetwork for NS {net}, Sandbox {sandbox}, ifname eth0")
        pod = self.draw_pod(self.pick(self.DEPLOYMENTS))
        self.note(
            "debug",
            "rpc/rpc.pb.go:713",
            f'AddNetworkRequest: K8S_POD_NAME:\\"{pod}\\" K8S_POD_NAMESPACE:\\"prod\\" '
            f'K8S_POD_INFRA_CONTAINER_ID:\\"{sandbox}\\" IfName:\\"eth0\\" NetworkName:\\"aws-cni\\"',
        )
        message = f"AssignPodIPv4Address: IP address pool stats: total {self.total}, assigned {self.used}"
        self.note("debug", "datastore/data_store.go:663", message)
        self.pass_time(0.002)

    def add(self) -> None:
        sandbox, address = self.draw_sandbox(), self.draw_address()
        self.ask(sandbox)
        message = f"AssignPodIPv4Address: Assign IP {address} to sandbox aws-cni/{sandbox}/eth0"
        self.note("info", "datastore/data_store.go:742", message)
        self.note("debug", "ipamd/rpc_handler.go:263", "VPC CIDR 10.0.0.0/16")
        reply = f"Send AddNetworkReply: IPv4Addr: {address}, IPv6Addr: , DeviceNumber: 0, err: <nil>"
        self.note("info", "rpc/rpc.pb.go:713", reply)
        self.used = min(self.used + 1, self.total)

    def add_in_vain(self) -> None:
        self.used = self.total
        self.ask(self.draw_sandbox())
        self.note("error", "datastore/data_store.go:759", "DataStore has no available IP/Prefix addresses")
        reply = (
            "Send AddNetworkReply: IPv4Addr: , IPv6Addr: , DeviceNumber: -1, "
            "err: AssignPodIPv4Address: no available IP/Prefix addresses"
        )
        self.note("info", "rpc/rpc.pb.go:713", reply)

    def delete(self) -> None:
        sandbox, address = self.draw_sandbox(), self.draw_address()
        self.note("info", "rpc/rpc.pb.go:731", f"Received DelNetwork for Sandbox {sandbox}")
        key = f"aws-cni/{sandbox}/eth0"
        stats = f"total {self.total}, assigned {self.used}, sandbox {key}"
        self.note("debug", "datastore/data_store.go:1172", f"UnassignPodIPAddress: IP address pool stats: {stats}")
        message = f"UnassignPodIPAddress: sandbox {key}'s ipAddr {address}, DeviceNumber 0"
        self.note("info", "datastore/data_store.go:1230", message)
        reply = f"Send DelNetworkReply: IPv4Addr: {address}, IPv6Addr: , DeviceNumber: 0, err: <nil>"
        self.note("info", "rpc/rpc.pb.go:731", reply)
        # A node keeps most of its pods: as many come as go.
        self.used = max(self.used - 1, self.total - 12)

    def tell_pool(self) -> None:
        free = self.total - self.used
        head = f"Total IPs/Prefixes = {self.total}/0, AssignedIPs/CooldownIPs: {self.used}/{self.roll(0, 2)}"
        self.note("debug", "ipamd/ipamd.go:664", f"IP pool stats: {head}, c.maxIPsPerENI = 14")
        self.note(
            "debug",
            "ipamd/ipamd.go:1932",
            f"Current warm IP stats : target: {self.warm}, total: {self.total}, assigned: {self.used}, "
            f"available: {free}, short: {max(0, self.warm - free)}, over: {max(0, free - self.warm)}",
        )

    def reconcile(self) -> None:
        message = f"Reconciling ENI/IP pool info because time since last 1m{self.drawn.random():.9f}s > 1m0s"
        self.note("debug", "ipamd/ipamd.go:1309", message)
        for eni, address in zip(self.enis, self.primary, strict=True):
            self.note("debug", "ipamd/ipamd.go:1309", f"Reconcile existing ENI {eni} IP pool")
            self.note("debug", "ipamd/ipamd.go:1409", f"Reconcile and skip primary IP {address} on ENI {eni}")
        self.note("debug", "ipamd/ipamd.go:1309", "Successfully Reconciled ENI/IP pool")

    def find_interfaces(self) -> None:
        self.note("debug", "awsutils/awsutils.go:589", f"Total number of interfaces found: {len(self.enis)} ")
        for number, eni in enumerate(self.enis):
            mac = f"02:{self.cidr:02x}:4e:91:0b:{number:02x}"
            self.note("debug", "awsutils/awsutils.go:604", f"Found ENI: {eni}, MAC {mac}, device {number}")

    def keep_primary(self) -> None:
        message = f"ENI {self.enis[0]} cannot be deleted because it is primary"
        self.note("debug", "datastore/data_store.go:916", message)

    def delete_unknown(self) -> None:
        # The runtime repeats its requests to delete: an unknown sandbox is an everyday matter.
        sandbox = self.draw_sandbox()
        self.note("info", "rpc/rpc.pb.go:731", f"Received DelNetwork for Sandbox {sandbox}")
        message = f"UnassignPodIPAddress: Failed to find sandbox aws-cni/{sandbox}/eth0"
        self.note("warn", "datastore/data_store.go:1192", message)
        reply = "Send DelNetworkReply: IPv4Addr: , IPv6Addr: , DeviceNumber: 0, err: datastore: unknown pod"
        self.note("info", "rpc/rpc.pb.go:731", reply)

    def skip_prefix(self) -> None:
        message = (
            f"Unable to get IP address from CIDR: no free IP available in the prefix - {self.draw_address()}/ffffffff"
        )
        self.note("debug", "datastore/data_store.go:1031", message)

    def refresh_token(self) -> None:
        self.note("debug", "awsutils/imds.go:151", "Refreshed the IMDSv2 token, valid for 6h0m0s")

    def read_node(self) -> None:
        self.note("debug", "k8sapi/k8sutils.go:101", f"Node ip-10-0-{self.cidr}-17.eu-central-1.compute.internal read")

    def scrape(self) -> None:
        self.calls += 1
        self.note("debug", "ipamd/introspect.go:107", f"Handling http request: /v1/enis, number {self.calls}")

    def cool_down(self) -> None:
        self.note("debug", "datastore/data_store.go:1074", f"IP {self.draw_address()} left its cooldown of 30s")

    def retag(self) -> None:
        message = f"Tagged ENI {self.pick(self.enis)} with node.k8s.amazonaws.com/instance_id"
        self.note("info", "awsutils/awsutils.go:870", message)

    def change_rules(self) -> None:
        self.note("info", "networkutils/network.go:451", "Updated the SNAT rules: AWS-SNAT-CHAIN-0, 2 rules")

    def move_interface(self) -> None:
        self.note(
            "info",
            "networkutils/network.go:702",
            f"Route table {self.roll(2, 4)} rewritten for {self.pick(self.enis)}",
        )

    def see_security_groups(self) -> None:
        self.note("info", "awsutils/awsutils.go:448", f"Found sg-{self.draw_hex(17)}, added to ipamd cache")

    def conflict(self) -> None:
        message = "Operation cannot be fulfilled on cninodes.vpcresources.k8s.aws: the object has been modified"
        self.note("error", "ipamd/ipamd.go:1120", message)

    def leak(self) -> None:
        self.note("debug", "awsutils/awsutils.go:1795", "Checking for leaked AWS CNI ENIs.")
        self.note("info", "awsutils/awsutils.go:1821", "No AWS CNI leaked ENIs found.")

    @override
    def turn(self) -> Sequence[str]:
        self.warm, self.minimum = 1, self.pick((2, 3, 4))
        lines = self.start()
        # The pool shrinks to what is in use and the one warm address.
        self.used = max(6, self.used - 4)
        self.total = self.used + self.warm
        return lines

    def grow(self) -> None:
        if self.total >= 40:
            # Enough pods have ended meanwhile for their addresses to have been given back.
            self.total -= self.roll(4, 9)
        self.used = self.total
        short = f"IP pool is too low: available (0) < warm target ({self.warm})"
        self.note("debug", "ipamd/ipamd.go:679", short)
        self.note("debug", "ipamd/ipamd.go:691", "Starting to increase pool size")
        self.pass_time(1.2)
        self.total += 1
        message = f"Successfully increased IP pool, total: {self.total}, used: {self.used}"
        self.note("debug", "ipamd/ipamd.go:706", message)

    def throttle(self) -> None:
        eni = self.pick(self.enis)
        message = f"Failed to assign 1 IP addresses to ENI {eni}: RequestLimitExceeded: Request limit exceeded."
        self.note("error", "ipamd/ipamd.go:872", message)


class Istiod(Maker):
    """The log of istiod: a filter for the gateways is pushed, which their Envoys do not take."""

    name: ClassVar[str] = "istiod: envoy filter pushed"
    share: ClassVar[float] = 0.22
    DEPLOYMENTS: ClassVar[Sequence[str]] = ("orders", "catalog", "identity", "mailer", "reviews", "stock")
    CONFIGS: ClassVar[Sequence[str]] = (
        "ServiceEntry/egress/stripe",
        "ServiceEntry/egress/sqs",
        "VirtualService/catalog/catalog-routes",
        "VirtualService/orders/orders-routes",
        "DestinationRule/orders/orders-subsets",
        "Service/reviews/reviews",
        "Service/stock/stock",
        "Secret/istio-system/edge-cert",
        "PeerAuthentication/identity/default",
        "Sidecar/mailer/default",
    )

    def __init__(self, drawn: random.Random) -> None:
        super().__init__(drawn)
        self.sidecars = [
            (pod, pod.split("-")[0], f"10.44.{self.roll(0, 15)}.{self.roll(2, 250)}")
            for pod in self.draw_pods(self.DEPLOYMENTS, 5)
        ]
        self.gateways = [(self.draw_pod("istio-ingressgateway"), self.draw_ip("10.44")) for _ in range(3)]
        self.nodes = [(pod, namespace) for pod, namespace, _ in self.sidecars]
        self.nodes += [(pod, "istio-system") for pod, _ in self.gateways]
        self.pushes = self.roll(2_000, 6_000)
        self.connections = self.roll(800, 3_000)
        self.filter = self.pick(("edge-local-ratelimit", "gateway-header-size", "edge-body-buffer"))

    @override
    def list_calm(self) -> Kinds:
        return (
            (12, self.push_fully),
            (22, self.push_incrementally),
            (7, self.connect),
            (7, self.end_connection),
            (0.6, self.connect_gateway),
            (0.5, self.end_gateway),
            (4, self.empty_service),
            (3, self.request_secret),
            (2, self.tell_status),
            (2, self.fetch_keys),
            (1.5, self.validate),
            (1.5, self.lose_stream),
            (1, self.add_trust),
            (1, self.inject),
            (0.8, self.update_status),
        )

    @override
    def list_rare(self) -> Sequence[Kind]:
        return (
            self.push_gateway,
            self.jitter_rotator,
            self.lead,
            self.patch_webhook,
            self.see_cluster,
            self.watch_mesh,
            self.limit_client,
        )

    @override
    def list_sick(self) -> Kinds:
        return ((10, self.take_not), (2, self.end_gateway), (2, self.connect_gateway))

    def note(self, level: str, scope: str, message: str) -> str:
        # Much of istiod logs in no scope, and then has one column less.
        said = f"{scope}\t{message}" if scope else message
        return self.say(f"{self.tell_second()}.{self.tell_micro():06d}Z\t{level}\t{said}")

    def tell_version(self) -> str:
        return f"{self.tell_second()}Z/{self.pushes}"

    def debounce(self, config: str, more: int, full: bool) -> str:
        self.pushes += 1
        others = f" and {more} more configs" if more else ""
        quiet = 100 + self.drawn.random() * 22
        return self.note(
            "info",
            "ads",
            f"Push debounce stable[{self.pushes}] {more + 1} for config {config}{others}: {quiet:.6f}ms since "
            f"last change, {quiet + self.vary(40):.6f}ms since last push, full={'true' if full else 'false'}",
        )

    def push_to(self, kinds: Sequence[str], number: int) -> None:
        for pod, namespace in self.drawn.choices(self.nodes, k=number):
            kind = self.pick(kinds)
            resources = self.roll(60, 180)
            cached = f"cached:{resources - self.roll(0, 9)}/{resources}"
            extra = {"EDS": f" empty:0 {cached}", "LDS": ""}.get(kind, f" {cached}")
            self.pass_time(0.001)
            pushed = f"resources:{resources} size:{self.vary(60):.1f}kB{extra}"
            self.note("info", "ads", f"{kind}: PUSH for node:{pod}.{namespace} {pushed}")

    def push_fully(self) -> None:
        self.debounce(self.pick(self.CONFIGS), self.pick((0, 0, 0, 1, 2, 4)), full=True)
        endpoints = len(self.sidecars) + len(self.gateways)
        self.note(
            "info", "ads", f"XDS: Pushing Services:212 ConnectedEndpoints:{endpoints} Version:{self.tell_version()}"
        )
        self.push_to(("CDS", "LDS", "RDS", "EDS"), self.roll(3, 8))

    def push_incrementally(self) -> None:
        name = self.pick(self.DEPLOYMENTS)
        self.debounce(f"ServiceEntry/{name}/{name}.{name}.svc.cluster.local", 0, full=False)
        endpoints = len(self.sidecars) + len(self.gateways)
        self.note(
            "info", "ads", f"XDS: Incremental Pushing ConnectedEndpoints:{endpoints} Version:{self.tell_version()}"
        )
        if self.happens(0.4):
            self.push_to(("EDS",), self.roll(1, 3))

    def pick_sidecar(self) -> str:
        pod, namespace, address = self.pick(self.sidecars)
        return f"sidecar~{address}~{pod}.{namespace}~{namespace}.svc.cluster.local-{self.connections}"

    def pick_gateway(self) -> str:
        pod, address = self.pick(self.gateways)
        return f"router~{address}~{pod}.istio-system~istio-system.svc.cluster.local-{self.connections}"

    def connect(self) -> None:
        self.connections += 1
        self.note("info", "ads", f"ADS: new connection for node:{self.pick_sidecar()}")
        self.push_to(("CDS", "EDS", "LDS", "RDS"), 2)

    def end_connection(self) -> None:
        self.note(
            "info", "ads", f'ADS: "{self.draw_ip("10.44")}:{self.roll(32768, 60999)}" {self.pick_sidecar()} terminated'
        )

    def empty_service(self) -> None:
        service = self.pick(("reviews-canary.reviews", "mailer-debug.mailer", "stock-headless.stock"))
        message = (
            f"Incremental push, service {service}.svc.cluster.local at shard Kubernetes/Kubernetes has no endpoints"
        )
        self.note("info", "ads", message)

    def request_secret(self) -> None:
        pod, namespace, _ = self.pick(self.sidecars)
        self.note("info", "ads", f"SDS: PUSH request for node:{pod}.{namespace} resources:1 size:4.1kB cached:1/1")

    def tell_status(self) -> None:
        self.note("info", "ads", "Push Status: {}")

    def fetch_keys(self) -> None:
        url = "https://login.oldpartner.example/.well-known/jwks.json"
        message = f'Failed to fetch public key from "{url}": Get "{url}": context deadline exceeded'
        self.note("error", "model", message)

    def validate(self) -> None:
        self.note("info", "validationServer", f"configuration is valid: {self.pick(self.CONFIGS)}")

    def lose_stream(self) -> None:
        message = f"ADS: {self.pick_sidecar()} terminated rpc error: code = Canceled desc = context canceled"
        self.note("warn", "ads", message)

    def add_trust(self) -> None:
        self.note("info", "spiffe", "Added 1 certs to trust domain cluster.local in peer cert verifier")

    def inject(self) -> None:
        name = self.pick(self.DEPLOYMENTS)
        self.note("info", "model", f"Sidecar injection request for {name}/{name}-{self.draw_letters(9)}-*****")

    def update_status(self) -> None:
        message = (
            "Error processing status update: the object has been modified; please apply your changes to the latest"
        )
        self.note("error", "status", message)

    def push_gateway(self) -> None:
        self.debounce(f"Gateway/istio-system/{self.pick(('public', 'partners'))}", 0, full=True)
        self.note("info", "ads", f"XDS: Pushing Services:212 ConnectedEndpoints:33 Version:{self.tell_version()}")
        self.push_to(("LDS", "RDS"), 3)

    def jitter_rotator(self) -> None:
        self.note("info", "rootcertrotator", "Check the root cert: its rest of 6912h0m0s is within the policy")

    def lead(self) -> None:
        lock = self.pick(("istio-leader", "istio-status-leader", "istio-gateway-deployment-leader"))
        self.note("info", "", f"leader election lock obtained: {lock}")

    def patch_webhook(self) -> None:
        self.note(
            "info", "webhooks", "Successfully updated ValidatingWebhookConfiguration istio-validator-istio-system"
        )

    def see_cluster(self) -> None:
        self.note("info", "", "Number of remote clusters: 0")

    def watch_mesh(self) -> None:
        self.note("info", "", "mesh configuration file read again, its content is the same")

    def limit_client(self) -> None:
        message = f"Waited for {1 + self.drawn.random():.9f}s due to client-side throttling, not priority and fairness"
        self.note("info", "klog", message)

    @override
    def turn(self) -> Sequence[str]:
        pushed = self.debounce(f"EnvoyFilter/istio-system/{self.filter}", 0, full=True)
        self.note("info", "ads", f"XDS: Pushing Services:212 ConnectedEndpoints:33 Version:{self.tell_version()}")
        self.push_to(("CDS", "LDS", "RDS"), self.roll(3, 6))
        return [pushed]

    def take_not(self) -> None:
        port = self.pick((8080, 8443))
        message = (
            f"ADS:LDS: ACK ERROR {self.pick_gateway()} Internal:Error adding/updating listener(s) 0.0.0.0_{port}: "
            "Didn't find a registered implementation for 'envoy.filters.http.custom' with type URL: ''"
        )
        self.note("warn", "ads", message)

    def end_gateway(self) -> None:
        self.note(
            "info", "ads", f'ADS: "{self.draw_ip("10.44")}:{self.roll(32768, 60999)}" {self.pick_gateway()} terminated'
        )

    def connect_gateway(self) -> None:
        self.connections += 1
        self.note("info", "ads", f"ADS: new connection for node:{self.pick_gateway()}")


class DotNet(Maker):
    """The console log of a .NET service, of many-lined records: a mistyped setting gives way to its default."""

    name: ClassVar[str] = "dotnet: pool size fell back to its default"
    share: ClassVar[float] = 0.12
    PATHS: ClassVar[Sequence[tuple[str, str]]] = (
        ("GET", "api/orders/{}"),
        ("GET", "api/orders/{}/lines"),
        ("POST", "api/orders/{}/confirm"),
        ("GET", "api/customers/{}"),
    )
    TRACE: ClassVar[Sequence[str]] = (
        "at Npgsql.Internal.NpgsqlReadBuffer.ReadAsync(Boolean async, CancellationToken cancellationToken)",
        "at Microsoft.EntityFrameworkCore.Query.Internal.SingleQueryingEnumerable`1.AsyncEnumerator.MoveNextAsync()",
        "at Contoso.Orders.Api.OrdersController.Get(Guid id, CancellationToken cancel) in /src/Orders.cs:line 58",
        "at Microsoft.AspNetCore.Mvc.Infrastructure.ControllerActionInvoker.InvokeInnerFilterAsync()",
    )

    def __init__(self, drawn: random.Random) -> None:
        super().__init__(drawn)
        self.configured = self.pick((80, 100, 120))

    @override
    def list_calm(self) -> Kinds:
        return (
            (40, self.serve),
            (14, self.query),
            (6, self.call_stock),
            (3, self.cancel),
            (3, self.retry),
            (2.5, self.consume),
            (2, self.check_health),
            (1.5, self.run_job),
            (1.2, self.warn_split),
            (1, self.reject_token),
            (1, self.keep_key),
            (1, self.tell_counters),
        )

    @override
    def list_rare(self) -> Sequence[Kind]:
        return (
            self.migrate_nothing,
            self.change_options,
            self.refuse_option,
            self.starve_heartbeat,
            self.rotate_certificate,
            self.clean_outbox,
        )

    @override
    def list_sick(self) -> Kinds:
        return ((5, self.exhaust), (6, self.serve), (2, self.retry_database))

    def note(self, level: str, category: str, *body: str) -> None:
        self.say(f"{self.tell_second()}.{self.tell_milli():03d}Z {level}: {category}")
        for line in body:
            self.say(f"      {line}")

    def serve(self) -> None:
        method, path = self.pick(self.PATHS)
        url = f"http://orders.shop.svc/{path.format(self.draw_uuid())}"
        category = "Microsoft.AspNetCore.Hosting.Diagnostics"
        self.note("info", f"{category}[1]", f"Request starting HTTP/1.1 {method} {url} - - -")
        hurt = self.hurts()
        took = self.vary(640, 0.7) if hurt else self.vary(14, 0.5)
        self.at += took / 1000
        status = 500 if hurt and self.happens(0.06) else self.pick((200, 200, 200, 200, 200, 404))
        done = f"Request finished HTTP/1.1 {method} {url} - {status} - application/json;+charset=utf-8 {took:.4f}ms"
        self.note("info", f"{category}[2]", done)

    def query(self) -> None:
        took = max(1, int(self.vary(3, 0.7)))
        table, alias = self.pick((("orders", "o"), ("order_lines", "l"), ("customers", "c")))
        self.note(
            "info",
            "Microsoft.EntityFrameworkCore.Database.Command[20101]",
            f"Executed DbCommand ({took}ms) [Parameters=[@__id_0='?' (DbType = Guid)], CommandType='Text', "
            "CommandTimeout='30']",
            f"SELECT {alias}.id, {alias}.created_at, {alias}.version",
            f"FROM {table} AS {alias}",
            f"WHERE {alias}.id = @__id_0",
            "LIMIT 1",
        )

    def call_stock(self) -> None:
        category = "System.Net.Http.HttpClient.stock.LogicalHandler"
        url = f"http://stock.shop.svc/v1/levels/{self.roll(10_000, 99_999)}"
        self.note("info", f"{category}[100]", f"Start processing HTTP request GET {url}")
        took = self.vary(22)
        self.at += took / 1000
        self.note("info", f"{category}[101]", f"End processing HTTP request after {took:.4f}ms - 200")

    def cancel(self) -> None:
        # Shoppers close their tabs: these traces are as old as the service, and nobody minds them.
        request = f"0HN{self.draw_letters(10, BASE32)}"
        self.note(
            "fail",
            "Microsoft.AspNetCore.Server.Kestrel[13]",
            f'Connection id "{request}", Request id "{request}:{self.roll(1, 99):08X}": An unhandled exception was '
            "thrown by the application.",
            "System.OperationCanceledException: The operation was canceled.",
            *(f"   {frame}" for frame in self.TRACE),
        )

    def retry(self) -> None:
        self.note(
            "warn",
            "Contoso.Orders.Clients.StockClient[0]",
            f"Attempt 1 of 3 to read levels gave 503, the next one follows in {self.roll(100, 400)}ms",
        )

    def consume(self) -> None:
        received = f"{self.draw_uuid()} Contoso.Events.OrderPaid Consumer({self.vary(0.02):.7f})"
        message = f"RECEIVE rabbitmq://rmq/orders-paid {received}"
        self.note("dbug", "MassTransit.ReceiveTransport[0]", message)

    def check_health(self) -> None:
        status = f"completed after {self.vary(4):.4f}ms with status Healthy and description ''"
        self.note("dbug", "Microsoft.Extensions.Diagnostics.HealthChecks[103]", f"Health check npgsql {status}")

    def run_job(self) -> None:
        name = self.pick(("ExpireDrafts", "SendReminders", "SumDay"))
        self.note(
            "info",
            "Quartz.Core.JobRunShell[0]",
            f"Job DEFAULT.{name} ran, next fire time {self.tell_second()}Z plus 5m",
        )

    def warn_split(self) -> None:
        self.note(
            "warn",
            "Microsoft.EntityFrameworkCore.Query[20504]",
            "Compiling a query which loads related collections for more than one collection navigation, but no "
            "'QuerySplittingBehavior' has been configured.",
        )

    def reject_token(self) -> None:
        self.note(
            "info",
            "Microsoft.AspNetCore.Authentication.JwtBearer.JwtBearerHandler[1]",
            "Failed to validate the token.",
            "Microsoft.IdentityModel.Tokens.SecurityTokenExpiredException: IDX10223: Lifetime validation failed.",
        )

    def keep_key(self) -> None:
        message = f"Key {{{self.draw_uuid()}}} persisted to storage may be kept in unencrypted form."
        self.note("warn", "Microsoft.AspNetCore.DataProtection.KeyManagement.XmlKeyManager[35]", message)

    def tell_counters(self) -> None:
        threads = self.roll(30, 46) if self.hurts() else self.roll(12, 18)
        self.note("info", "Contoso.Orders.Counters[0]", f"threads={threads} queue=0 gen2={int(self.at / 900) % 5000}")

    def migrate_nothing(self) -> None:
        message = "No migrations were applied. The database is already up to date."
        self.note("info", "Microsoft.EntityFrameworkCore.Migrations[20405]", message)

    def change_options(self) -> None:
        self.note("info", "Contoso.Orders.Configuration.OptionsMonitor[0]", "Orders:Reminders:Hour is now 9")

    def refuse_option(self) -> None:
        message = "Orders:Mail:Footer has the invalid value '', the default of '-- ' applies"
        self.note("warn", "Contoso.Orders.Configuration.OptionsMonitor[0]", message)

    def starve_heartbeat(self) -> None:
        late = f'"00:00:0{1 + self.drawn.random():.7f}" which is longer than "00:00:01".'
        message = f"As of now, the heartbeat has been running for {late}"
        self.note("warn", "Microsoft.AspNetCore.Server.Kestrel[22]", message)

    def rotate_certificate(self) -> None:
        self.note(
            "info", "Contoso.Orders.Tls[0]", f"Loaded certificate {self.draw_hex(40).upper()}, good until 2026-02-11"
        )

    def clean_outbox(self) -> None:
        self.note(
            "info", "MassTransit.EntityFrameworkCoreIntegration[0]", f"Outbox Removed {self.roll(5, 90)} messages"
        )

    @override
    def turn(self) -> Sequence[str]:
        # Typed with a letter: it looks right on a screen.
        typed = str(self.configured).replace("0", "O")
        message = f"Orders:Database:MaxPoolSize has the invalid value '{typed}', the default of 10 applies"
        self.note("warn", "Contoso.Orders.Configuration.OptionsMonitor[0]", message)
        return [self.lines[-1]]

    def exhaust(self) -> None:
        self.note(
            "fail",
            "Microsoft.EntityFrameworkCore.Database.Connection[20004]",
            "An error occurred using the connection to database 'orders' on server 'tcp://orders-db:5432'.",
            "Npgsql.NpgsqlException (0x80004005): The connection pool has been exhausted, either raise 'Max Pool Size' "
            "(currently 10) or 'Timeout' (currently 15 seconds) in your connection string.",
            *(f"   {frame}" for frame in self.TRACE[1:]),
        )

    def retry_database(self) -> None:
        wait = f"The operation will be retried after {self.roll(0, 900)}ms."
        message = f"A transient exception occurred during execution. {wait}"
        self.note("warn", "Microsoft.EntityFrameworkCore.Infrastructure[10402]", message)


MAKERS: Sequence[type[Maker]] = (
    ArgoCd,
    CoreDns,
    Elasticsearch,
    MongoDb,
    RabbitMq,
    GoService,
    NodeService,
    VpcCni,
    Istiod,
    DotNet,
)


def bind_maker(kind: type[Maker]) -> Callable[[int, random.Random], PlantedLog]:
    def make(number_of_lines: int, drawn: random.Random) -> PlantedLog:
        return kind(drawn).make(number_of_lines)

    return make


LOGS_B: Mapping[str, Callable[[int, random.Random], PlantedLog]] = MappingProxyType(
    {kind.name: bind_maker(kind) for kind in MAKERS}
)
