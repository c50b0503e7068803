"""The evidence of several incidents, as one cluster."""

from collections.abc import Sequence
from functools import cached_property

from tarsy_lab.errors import LabError
from tarsy_lab.evidence import Evidence, Resource
from tarsy_lab.recordings import Metrics, Release, read_metrics, read_releases


class AmbiguousIncidentError(LabError):
    """Two incidents have the same object. The message says which. The operator renames one of them."""


class Cluster:
    """Raises AmbiguousIncidentError. Logs are read when they are asked for."""

    def __init__(self, incidents: Sequence[Evidence]) -> None:
        self._incidents = incidents
        self._owners: dict[tuple[str, str, str | None, str], Evidence] = {}
        for incident in incidents:
            for each in (*incident.resources, *incident.events):
                self._own(each, incident)

    @cached_property
    def resources(self) -> tuple[Resource, ...]:
        return tuple(each for incident in self._incidents for each in incident.resources)

    @cached_property
    def events(self) -> tuple[Resource, ...]:
        return tuple(each for incident in self._incidents for each in incident.events)

    @cached_property
    def namespaces(self) -> tuple[str, ...]:
        return tuple(sorted({each.namespace for each in self.resources if each.namespace is not None}))

    @cached_property
    def releases(self) -> tuple[Release, ...]:
        return tuple(each for incident in self._incidents for each in read_releases(incident.folder))

    @cached_property
    def metrics(self) -> tuple[Metrics, ...]:
        return tuple(read_metrics(incident.folder) for incident in self._incidents)

    def log(self, pod: Resource) -> str | None:
        return self._owners[pod.identity].log(pod.name)

    def _own(self, each: Resource, incident: Evidence) -> None:
        owner = self._owners.setdefault(each.identity, incident)
        if owner is not incident:
            where = "" if each.namespace is None else f" in namespace {each.namespace}"
            raise AmbiguousIncidentError(
                f'{each.kind} "{each.name}"{where} is in {owner.folder} and in {incident.folder}:'
                " they cannot be one cluster"
            )
