"""Masking, per core: MB/s of logs, JSON and YAML with every rule there is, and how time grows with hostile input."""

import argparse
import base64
import json
import random
import statistics
import string
import time
from collections.abc import Callable, Sequence

import yaml
from saying import load_told, say

from tarsy_masking.masker import Masker

type Make = Callable[[random.Random, bool], str]
"""The next piece of a text, with a secret in it or without."""

MB = 1_000_000
SIZE = 10 * MB
RUNS = 3
# Bytes from one secret to the next.
REALISTIC, DENSE = 10_000, 200
GROWTH = (MB // 2, MB, 2 * MB)
HOSTILE = {
    "a million {": '{"kind":"Secret","data":{',
    "words that tell": "password=",
    "opened quotes": 'token="a ',
    "addresses": "a://b:c@",
    "keys begun": "-----BEGIN PRIVATE KEY-----\n",
    "dashes and spaces": "-  -   ",
    "Secrets": "kind: Secret\ndata:\n  a: b\n",
    "backslashes": '\\\\\\"kind\\\\\\":\\\\\\"Secret',
    "one line of cookies": "Set-Cookie: a=b; ",
    "one line of base64": "QUJD",
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="a tenth of the size, one run")
    arguments.add_argument("--dense", action="store_true", help="only texts with a secret in 200 bytes")
    given = arguments.parse_args()
    quick = given.quick
    size, runs = (SIZE // 10, 1) if quick else (SIZE, RUNS)
    default = Masker.default(b"a key of thirty-two bytes or more").for_session("benchmark")
    maskers = {"default rules": default, "with every opt-in rule": default.with_rules({"all"}, ())}
    with load_told():
        for density, told in (
            (REALISTIC, "one secret in 10 kB"),
            (DENSE, "one secret in 200 bytes, or in each object"),
        )[given.dense :]:
            for kind, make in KINDS.items():
                # Each run has a text of its own: what a regex has learned of the same text makes it look fast.
                first, *texts = (filled(make, size, density, seed) for seed in range(runs + 1))
                speeds = [f"{name} {speed(masker, first, texts):.1f}" for name, masker in maskers.items()]
                say(f"{kind}, {size / MB:.0f} MB, {told}: MB/s of CPU: {', '.join(speeds)}")
        for name, unit in () if given.dense else HOSTILE.items():
            seconds = [took(maskers["with every opt-in rule"], unit * (size // len(unit))) for size in GROWTH]
            figures = " / ".join(f"{one:.2f}" for one in seconds)
            say(f"hostile: {name}: {figures} s for {' / '.join(str(size / MB) for size in GROWTH)} MB")


def speed(masker: Masker, first: str, texts: Sequence[str]) -> float:
    """The middle one of the runs, after one that is not counted."""
    took(masker, first)
    return statistics.median(len(text) / MB / took(masker, text) for text in texts)


def took(masker: Masker, text: str) -> float:
    """CPU seconds of this process: others are on the machine too."""
    began = time.process_time()
    masker.mask(text)
    return time.process_time() - began


def filled(make: Make, size: int, density: int, seed: int = 6) -> str:
    chance = random.Random(seed)
    pieces: list[str] = []
    length = since = 0
    while length < size:
        secret = since >= density
        piece = make(chance, secret)
        pieces.append(piece)
        length += len(piece)
        since = since - density + len(piece) if secret else since + len(piece)
    return "".join(pieces)


def token(chance: random.Random, length: int = 24) -> str:
    return "".join(chance.choices(string.ascii_letters + string.digits, k=length))


def hexadecimal(chance: random.Random, length: int) -> str:
    return "".join(chance.choices("0123456789abcdef", k=length))


SECRETS: tuple[Callable[[random.Random], str], ...] = (
    lambda chance: f"password={token(chance, 12)}",
    lambda chance: f"dsn=postgres://shop:{token(chance, 12)}@db:5432/shop",
    lambda chance: f"Authorization: Bearer {token(chance, 40)}",
    lambda chance: f"token ghp_{token(chance, 36)} used",
    lambda chance: f"jwt eyJ{token(chance, 30)}.eyJ{token(chance, 60)}.{token(chance, 43)}",
    lambda chance: f"AWS_SECRET_ACCESS_KEY={token(chance, 40)}",
    lambda chance: f'client_secret="{token(chance, 30)}"',
)
WORDS = (
    "request handled in 12 ms status=200 path=/api/v1/orders customer=4711 tokens=812",
    "GET /healthz 200 0.3ms kube-probe/1.33 10.42.7.19:41822",
    "retrying connection to db.shop.svc.cluster.local:5432 attempt=3 backoff=1.5s error=timeout",
    "reconciled Deployment shop/checkout generation=14 replicas=3/3 resourceVersion=918273645",
    "cache miss key=customer:4711:basket ttl=300 node=ip-10-42-7-19.eu-west-1.compute.internal",
)


def logs(chance: random.Random, secret: bool) -> str:
    stamp = f"2026-11-22T{chance.randrange(24):02}:{chance.randrange(60):02}:{chance.randrange(60):02}.123Z"
    said = chance.choice(SECRETS)(chance) if secret else chance.choice(WORDS)
    return f"{stamp} INFO checkout-7c9d6f5b84-x2x7k trace_id={hexadecimal(chance, 32)} {said}\n"


def pod(chance: random.Random, secret: bool) -> dict[str, object]:
    name = f"checkout-7c9d6f5b84-{token(chance, 5).lower()}"
    env = [{"name": "LOG_LEVEL", "value": "debug"}, {"name": "REGION", "value": "eu-west-1"}]
    if secret:
        env.append({"name": "DB_PASSWORD", "value": token(chance, 14)})
    image = f"registry.example.com/shop/checkout@sha256:{hexadecimal(chance, 64)}"
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "annotations": {"checksum/config": hexadecimal(chance, 64), "prometheus.io/scrape": "true"},
            "creationTimestamp": "2026-11-22T10:11:12Z",
            "generateName": "checkout-7c9d6f5b84-",
            "labels": {"app": "checkout", "pod-template-hash": hexadecimal(chance, 10), "team": "payments"},
            "name": name,
            "namespace": "shop",
            "ownerReferences": [
                {"controller": True, "kind": "ReplicaSet", "name": "checkout-7c9d6f5b84", "uid": uid(chance)}
            ],
            "resourceVersion": str(chance.randrange(10**9)),
            "uid": uid(chance),
        },
        "spec": {
            "automountServiceAccountToken": True,
            "containers": [
                {
                    "env": env,
                    "image": image,
                    "livenessProbe": {
                        "failureThreshold": 3,
                        "httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"},
                    },
                    "name": "app",
                    "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
                    "resources": {"limits": {"memory": "512Mi"}, "requests": {"cpu": "250m", "memory": "256Mi"}},
                    "terminationMessagePath": "/dev/termination-log",
                    "volumeMounts": [
                        {"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": "kube-api-access"}
                    ],
                }
            ],
            "dnsPolicy": "ClusterFirst",
            "nodeName": "ip-10-42-7-19.eu-west-1.compute.internal",
            "restartPolicy": "Always",
            "securityContext": {"fsGroup": 2000, "runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
            "serviceAccountName": "checkout",
            "terminationGracePeriodSeconds": 30,
            "tolerations": [
                {
                    "effect": "NoExecute",
                    "key": f"node.kubernetes.io/{key}",
                    "operator": "Exists",
                    "tolerationSeconds": 300,
                }
                for key in ("not-ready", "unreachable")
            ],
            "volumes": [
                {"name": "tls", "secret": {"defaultMode": 420, "secretName": "checkout-tls"}},
                {
                    "name": "kube-api-access",
                    "projected": {"sources": [{"serviceAccountToken": {"expirationSeconds": 3607}}]},
                },
            ],
        },
        "status": {
            "conditions": [
                {"lastTransitionTime": "2026-11-22T10:11:14Z", "status": "True", "type": type_}
                for type_ in ("Initialized", "Ready", "ContainersReady", "PodScheduled")
            ],
            "containerStatuses": [
                {
                    "containerID": f"containerd://{hexadecimal(chance, 64)}",
                    "imageID": image,
                    "name": "app",
                    "restartCount": 0,
                }
            ],
            "hostIP": "10.42.0.7",
            "phase": "Running",
            "podIP": "10.42.7.19",
            "qosClass": "Burstable",
        },
    }


def uid(chance: random.Random) -> str:
    parts = (hexadecimal(chance, length) for length in (8, 4, 4, 4, 12))
    return "-".join(parts)


def config_map(chance: random.Random) -> dict[str, object]:
    data = {f"setting-{number}": f"value of {number}" for number in range(10)}
    return {
        "apiVersion": "v1",
        "data": data,
        "kind": "ConfigMap",
        "metadata": {"name": f"shop-{hexadecimal(chance, 6)}"},
    }


def kubernetes_secret(chance: random.Random) -> dict[str, object]:
    data = {"password": base64.b64encode(token(chance, 18).encode()).decode()}
    return {
        "apiVersion": "v1",
        "data": data,
        "kind": "Secret",
        "metadata": {"name": f"shop-{hexadecimal(chance, 6)}", "namespace": "shop"},
        "type": "Opaque",
    }


def an_object(chance: random.Random, secret: bool) -> dict[str, object]:
    if secret and chance.random() < 0.5:
        return kubernetes_secret(chance)
    return pod(chance, secret) if secret or chance.random() < 0.7 else config_map(chance)


def json_objects(chance: random.Random, secret: bool) -> str:
    """As `kubectl get -o json` prints the items of a list."""
    return "        " + json.dumps(an_object(chance, secret), indent=4).replace("\n", "\n        ") + ",\n"


def manifests(chance: random.Random, secret: bool) -> str:
    return "---\n" + str(yaml.safe_dump(an_object(chance, secret)))


KINDS: dict[str, Make] = {"logs": logs, "JSON": json_objects, "YAML": manifests}

if __name__ == "__main__":
    main()
