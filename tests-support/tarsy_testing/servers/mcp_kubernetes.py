"""A small Kubernetes API: enough for a client to find its way and to read pods, their logs, events and secrets."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from tarsy_processes.ports import free_port

NAMESPACE, POD, SECRET = "shop", "checkout-7d9f", "checkout-db"
TOKEN = "kubeconfig-user-h7vdw:tx9q4mvz2lbk8w6cs5jr"
PASSWORD = "hunter2-of-the-checkout-database"
PASSWORD_BASE64 = "aHVudGVyMi1vZi10aGUtY2hlY2tvdXQtZGF0YWJhc2U="
LOG = f"connecting to postgres://checkout:{PASSWORD}@db.shop/checkout\nFATAL: too many connections\n"
STOP_SECONDS = 90.0

type Json = dict[str, Any]

KINDS = {
    "namespaces": ("Namespace", False),
    "nodes": ("Node", False),
    "pods": ("Pod", True),
    "events": ("Event", True),
    "secrets": ("Secret", True),
}
GROUP = "authorization.k8s.io"
REVIEWS = {"selfsubjectaccessreviews": ("SelfSubjectAccessReview", False)}
REVIEWED = {"kind": "SelfSubjectAccessReview", "apiVersion": f"{GROUP}/v1", "spec": {}, "status": {"allowed": True}}


def _named(kind: str, name: str, **rest: Any) -> Json:
    metadata = {"name": name, "uid": f"uid-{name}", "resourceVersion": "1", "creationTimestamp": "2026-11-22T08:00:00Z"}
    namespaced = {} if kind == "Namespace" else {"namespace": NAMESPACE}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata | namespaced} | rest


OBJECTS: dict[str, list[Json]] = {
    "namespaces": [_named("Namespace", "default"), _named("Namespace", NAMESPACE)],
    "nodes": [],
    "pods": [
        _named(
            "Pod",
            POD,
            spec={"containers": [{"name": "checkout", "image": "checkout:42"}]},
            status={"phase": "Running", "containerStatuses": [{"name": "checkout", "restartCount": 17}]},
        )
    ],
    "events": [
        _named(
            "Event",
            f"{POD}.1",
            type="Warning",
            reason="BackOff",
            message="Back-off restarting failed container",
            involvedObject={"apiVersion": "v1", "kind": "Pod", "name": POD, "namespace": NAMESPACE},
        )
    ],
    "secrets": [_named("Secret", SECRET, type="Opaque", data={"password": PASSWORD_BASE64})],
}


def _found(path: str) -> Json | str | None:
    """An object, a list, or the text of a log; None for what is not there."""
    match path.strip("/").split("/"):
        case ["api", "v1", "namespaces", namespace, "pods", name, "log"]:
            return LOG if (namespace, name) == (NAMESPACE, POD) else None
        case ["api", "v1", "namespaces", namespace, resource, name]:
            return _one(resource, name, namespace)
        case ["api", "v1", "namespaces", namespace, resource]:
            return _list(resource, namespace)
        case ["api", "v1", resource, name]:
            return _one(resource, name, None)
        case ["api", "v1", resource]:
            return _list(resource, None)
        case _:
            return _discovered(path)


def _one(resource: str, name: str, namespace: str | None) -> Json | None:
    for each in OBJECTS.get(resource, []):
        if each["metadata"]["name"] == name and each["metadata"].get("namespace") == namespace:
            return each
    return None


def _list(resource: str, namespace: str | None) -> Json | None:
    if resource not in KINDS:
        return None
    items = [each for each in OBJECTS[resource] if namespace in (None, each["metadata"].get("namespace"))]
    return {"kind": f"{KINDS[resource][0]}List", "apiVersion": "v1", "metadata": {}, "items": items}


def _discovered(path: str) -> Json | None:
    version = {"groupVersion": f"{GROUP}/v1", "version": "v1"}
    match path:
        case "/version":
            return {"major": "1", "minor": "34", "gitVersion": "v1.34.0"}
        case "/api":
            return {"kind": "APIVersions", "versions": ["v1"]}
        case "/apis":
            groups = [{"name": GROUP, "versions": [version], "preferredVersion": version}]
            return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}
        case "/api/v1":
            return _resources("v1", KINDS)
        case "/apis/authorization.k8s.io/v1":
            return _resources(f"{GROUP}/v1", REVIEWS)
        case _:
            return None


def _resources(group_version: str, kinds: dict[str, tuple[str, bool]]) -> Json:
    resources = [
        {"name": name, "singularName": kind.lower(), "namespaced": namespaced, "kind": kind, "verbs": ["get", "list"]}
        for name, (kind, namespaced) in kinds.items()
    ]
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": resources}


class _Api(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        found = _found(path)
        if found is None:
            said = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}
            said["message"] = f"{path.rpartition('/')[2]} not found"
            self._answer(HTTPStatus.NOT_FOUND, json.dumps(said), "application/json")
        elif isinstance(found, str):
            self._answer(HTTPStatus.OK, found, "text/plain")
        else:
            self._answer(HTTPStatus.OK, json.dumps(found), "application/json")

    def do_POST(self) -> None:
        """Access reviews: everything is allowed."""
        self.rfile.read(int(self.headers["content-length"]))
        self._answer(HTTPStatus.CREATED, json.dumps(REVIEWED), "application/json")

    def _answer(self, status: HTTPStatus, text: str, kind: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


@contextmanager
def kubernetes(folder: Path) -> Iterator[Path]:
    """The kubeconfig of a cluster that is there as long as the body runs."""
    with ThreadingHTTPServer(("127.0.0.1", free_port()), _Api) as server:
        thread = Thread(target=server.serve_forever, name="Kubernetes API", daemon=True)
        thread.start()
        kubeconfig = folder / "kubeconfig"
        kubeconfig.write_text(json.dumps(_kubeconfig(server.server_port)), encoding="utf-8")
        try:
            yield kubeconfig
        finally:
            server.shutdown()
            thread.join(STOP_SECONDS)


def _kubeconfig(port: int) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "small", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
        "users": [{"name": "reader", "user": {"token": TOKEN}}],
        "contexts": [{"name": "small", "context": {"cluster": "small", "user": "reader", "namespace": NAMESPACE}}],
        "current-context": "small",
    }
