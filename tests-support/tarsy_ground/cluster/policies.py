"""Enforces NetworkPolicies, as a network plugin would: rules of iptables between the pods that are there now.

Ingress only, with ports by name or number, and peers by labels: that is what the chart has.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tarsy_ground.cluster.kubectl import Kubectl

CHAIN = "POLICIES"
LET_THROUGH = ("-m", "conntrack", "--ctstate", "ESTABLISHED,RELATED", "-j", "RETURN")

type Manifest = Mapping[str, Any]


@contextmanager
def enforced_policies(kubectl: Kubectl, namespace: str) -> Iterator[None]:
    kubectl.command("iptables", "-w", "-N", CHAIN)
    try:
        _restore(kubectl, [LET_THROUGH, *_rules(kubectl, namespace)])
        kubectl.command("iptables", "-w", "-I", "FORWARD", "-j", CHAIN)
        yield
    finally:
        _restore(kubectl, [])
        kubectl.command("iptables", "-w", "-D", "FORWARD", "-j", CHAIN)
        kubectl.command("iptables", "-w", "-X", CHAIN)


def _restore(kubectl: Kubectl, rules: Sequence[tuple[str, ...]]) -> None:
    """Replaces all rules of the chain at once."""
    lines = ["*filter", f"-F {CHAIN}", *(f"-A {CHAIN} {' '.join(rule)}" for rule in rules), "COMMIT", ""]
    kubectl.command("iptables-restore", "-w", "--noflush", input="\n".join(lines))


def _rules(kubectl: Kubectl, namespace: str) -> Iterator[tuple[str, ...]]:
    """A selected pod is reached by what its policies allow, and by nothing else."""
    pods = [pod for pod in _items(kubectl, "pods") if pod["status"]["phase"] == "Running"]
    labels = {each["metadata"]["name"]: each["metadata"]["labels"] for each in _items(kubectl, "namespaces")}
    selected = set()
    for policy in _items(kubectl, "networkpolicies"):
        for pod in pods:
            if _is_in(pod, namespace) and _fits(policy["spec"]["podSelector"], _labels(pod)):
                selected.add(_address(pod))
                for rule in policy["spec"].get("ingress", []):
                    sources = [_address(each) for each in pods if _may(each, rule["from"], namespace, labels)]
                    yield from _allowances(sources, pod, rule["ports"])
    for address in sorted(selected):
        yield ("-d", address, "-p", "tcp", "-j", "REJECT", "--reject-with", "tcp-reset")


def _allowances(sources: Sequence[str], pod: Manifest, ports: Sequence[Manifest]) -> Iterator[tuple[str, ...]]:
    for source in sources:
        for port in _ports(pod, ports):
            yield ("-s", source, "-d", _address(pod), "-p", "tcp", "--dport", port, "-j", "RETURN")


def _may(pod: Manifest, peers: Sequence[Manifest], namespace: str, labels: Mapping[str, Mapping[str, str]]) -> bool:
    """Whether the pod is one of the peers."""
    of_namespace = labels[pod["metadata"]["namespace"]]
    for peer in peers:
        selector = peer.get("namespaceSelector")
        here = _is_in(pod, namespace) if selector is None else _fits(selector, of_namespace)
        if here and _fits(peer.get("podSelector", {}), _labels(pod)):
            return True
    return False


def _fits(selector: Manifest, labels: Mapping[str, str]) -> bool:
    assert not selector.get("matchExpressions"), "the chart has none"
    wanted: Mapping[str, str] = selector.get("matchLabels", {})
    return wanted.items() <= labels.items()


def _ports(pod: Manifest, ports: Sequence[Manifest]) -> Iterator[str]:
    named = {port["name"]: port["containerPort"] for port in pod["spec"]["containers"][0].get("ports", [])}
    yield from (str(named.get(port["port"], port["port"])) for port in ports)


def _is_in(pod: Manifest, namespace: str) -> bool:
    return bool(pod["metadata"]["namespace"] == namespace)


def _labels(pod: Manifest) -> Mapping[str, str]:
    labels: Mapping[str, str] = pod["metadata"].get("labels", {})
    return labels


def _address(pod: Manifest) -> str:
    return str(pod["status"]["podIP"])


def _items(kubectl: Kubectl, kind: str) -> Sequence[Manifest]:
    found: Sequence[Manifest] = json.loads(kubectl.run("get", kind, "--all-namespaces", "--output=json"))["items"]
    return found
