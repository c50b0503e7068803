"""The tools of the lab, named like those of the Kubernetes MCP servers in use."""

from collections.abc import Sequence
from typing import Annotated

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from tarsy_lab.cluster import Cluster
from tarsy_lab.evidence import Resource
from tarsy_lab.tables import events_table, pods_table, resources_table

Namespace = Annotated[str, Field(description="Namespace of the object, for example `shop`")]
OptionalNamespace = Annotated[str | None, Field(description="Only this namespace; all namespaces when left out")]
PodName = Annotated[str, Field(description="Full name of the pod, as pods_list shows it")]
Container = Annotated[str | None, Field(description="Container in the pod; the first one when left out")]
Tail = Annotated[int | None, Field(ge=1, description="Only that many last lines; the whole log when left out")]
ApiVersion = Annotated[str, Field(description="apiVersion of the objects, for example `v1` or `apps/v1`")]
Kind = Annotated[str, Field(description="Kind of the objects, for example `Deployment`")]
ObjectName = Annotated[str, Field(description="Name of the object")]
ObjectNamespace = Annotated[
    str | None, Field(description="Namespace of the object; left out for objects that have none, such as a Node")
]


class Tools:
    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    async def namespaces_list(self) -> str:
        """List the namespaces of the cluster."""
        return "\n".join(self._cluster.namespaces)

    async def pods_list(self, namespace: OptionalNamespace = None) -> str:
        """List pods with their status, restarts, image and node."""
        return pods_table(self._in_namespace(self._of_kind("v1", "Pod"), namespace))

    async def pods_get(self, namespace: Namespace, name: PodName) -> str:
        """Get one pod as YAML, with its status and why its containers last ended."""
        return self._pod(namespace, name).text

    async def pods_log(
        self, namespace: Namespace, name: PodName, container: Container = None, tail: Tail = None
    ) -> str:
        """Get the log of a pod over all its restarts. It can be very long: 100,000 lines and more."""
        pod = self._pod(namespace, name)
        _require_container(pod, container)
        log = self._cluster.log(pod)
        if log is None:
            return f"(pod {name} has written no log)"
        return log if tail is None else "".join(log.splitlines(keepends=True)[-tail:])

    async def pods_delete(self, namespace: Namespace, name: PodName) -> str:
        """Delete a pod. A ReplicaSet makes a new one, so this restarts it; what the pod was doing is lost."""
        return f'pod "{self._pod(namespace, name).name}" deleted from {namespace} namespace'

    async def resources_list(self, apiVersion: ApiVersion, kind: Kind, namespace: OptionalNamespace = None) -> str:
        """List the objects of one kind with their names."""
        return resources_table(self._in_namespace(self._of_kind(apiVersion, kind), namespace))

    async def resources_get(
        self, apiVersion: ApiVersion, kind: Kind, name: ObjectName, namespace: ObjectNamespace = None
    ) -> str:
        """Get one object of any kind as YAML."""
        found = [each for each in self._of_kind(apiVersion, kind) if each.name == name and each.namespace == namespace]
        if not found:
            where = "without a namespace" if namespace is None else f"in namespace {namespace}"
            raise ToolError(f'{kind} "{name}" {where} not found; resources_list shows what exists')
        return found[0].text

    async def events_list(self, namespace: OptionalNamespace = None) -> str:
        """List the events of the cluster, oldest first."""
        return events_table(self._in_namespace(self._cluster.events, namespace))

    def _of_kind(self, api_version: str, kind: str) -> Sequence[Resource]:
        found = [each for each in self._cluster.resources if (each.api_version, each.kind) == (api_version, kind)]
        if not found:
            known = sorted({f"{each.api_version} {each.kind}" for each in self._cluster.resources})
            raise ToolError(f"there are no objects of {api_version} {kind}; recorded are: {', '.join(known)}")
        return found

    def _in_namespace(self, resources: Sequence[Resource], namespace: str | None) -> Sequence[Resource]:
        if namespace is None:
            return resources
        if namespace not in self._cluster.namespaces:
            known = ", ".join(self._cluster.namespaces)
            raise ToolError(f'namespace "{namespace}" not found; there are: {known}')
        return [each for each in resources if each.namespace == namespace]

    def _pod(self, namespace: str, name: str) -> Resource:
        pods = self._in_namespace(self._of_kind("v1", "Pod"), namespace)
        for pod in pods:
            if pod.name == name:
                return pod
        known = ", ".join(pod.name for pod in pods)
        raise ToolError(f'pod "{name}" not found in namespace {namespace}; its pods are: {known}')


def _require_container(pod: Resource, container: str | None) -> None:
    spec = pod.body["spec"]
    names = [each["name"] for each in spec["containers"]] if isinstance(spec, dict) else []
    if container is not None and container not in names:
        raise ToolError(f'container "{container}" is not in pod {pod.name}; its containers are: {", ".join(names)}')
