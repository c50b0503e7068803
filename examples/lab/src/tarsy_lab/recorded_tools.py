"""The tools of the lab that answer from recordings: Helm, and Prometheus.

A rollback is the one change that shows: the investigation that made it is answered differently afterwards. Others, and
the same incident sent again, find everything as it was.
"""

from collections.abc import Sequence
from typing import Annotated

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from tarsy_lab.calls import CallLog
from tarsy_lab.recordings import Metrics, Release
from tarsy_lab.tables import table

ROLLBACK = "helm_rollback"
Namespace = Annotated[str, Field(description="Namespace of the release, for example `shop`")]
ReleaseName = Annotated[str, Field(description="Name of the release")]
RevisionNumber = Annotated[int, Field(ge=1, description="The revision to return to, as helm_history shows it")]
DryRun = Annotated[bool, Field(description="Only show what would change")]
PromQl = Annotated[str, Field(description="A query in PromQL; it is answered for the present moment")]


class RecordedTools:
    def __init__(self, releases: Sequence[Release], metrics: Sequence[Metrics], calls: CallLog) -> None:
        self._releases = releases
        self._metrics = metrics
        self._calls = calls

    async def helm_history(self, namespace: Namespace, name: ReleaseName) -> str:
        """List the revisions of a Helm release, oldest first."""
        header = ("REVISION", "UPDATED", "STATUS", "CHART", "DESCRIPTION")
        revisions = self._release(namespace, name).revisions
        return table(header, [(str(it.revision), it.updated, it.status, it.chart, it.description) for it in revisions])

    async def helm_rollback(
        self, namespace: Namespace, name: ReleaseName, revision: RevisionNumber, dry_run: DryRun = False
    ) -> str:
        """Roll a Helm release back to one of its revisions. With dry_run, nothing is changed."""
        release = self._release(namespace, name)
        change = release.rollbacks.get(revision)
        if change is None:
            known = ", ".join(str(number) for number in release.rollbacks)
            raise ToolError(f"revision {revision} of {name} is not kept any longer; it can be rolled back to: {known}")
        if dry_run:
            return f"(dry run, nothing was changed)\n{change}"
        number = release.revisions[-1].revision + 1
        return f"Rollback was a success! {name} has revision {number}, which is that of {revision} again.\n{change}"

    async def prometheus_query(self, query: PromQl) -> str:
        """Ask Prometheus for the present value of a query. The answer is the `data` of its API, as JSON."""
        asked = "".join(query.split())
        for metrics in self._metrics:
            for one in metrics.queries:
                if "".join(one.query.split()) == asked:
                    changed = one.after is not None and self._was_rolled_back(metrics.rolled_back)
                    return one.after if changed and one.after is not None else one.answer
        known = "\n".join(one.query for metrics in self._metrics for one in metrics.queries)
        raise ToolError(f"of this recorded cluster only these queries are known:\n{known}")

    def _release(self, namespace: str, name: str) -> Release:
        for release in self._releases:
            if (release.namespace, release.name) == (namespace, name):
                return release
        known = ", ".join(f"{release.namespace}/{release.name}" for release in self._releases)
        raise ToolError(f'release "{name}" not found in namespace {namespace}; there are: {known or "none"}')

    def _was_rolled_back(self, release: str) -> bool:
        made = self._calls.list_ended_well(ROLLBACK)
        return any(arguments.get("name") == release and not arguments.get("dry_run") for arguments in made)
