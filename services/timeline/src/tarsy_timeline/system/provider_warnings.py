"""Warnings about LLM providers for operators, from what orchestrators and summarizers announce."""

from collections.abc import Iterable, Sequence

from tarsy_contracts.messages.workers import FailingProvider, WorkerAnnounced
from tarsy_timeline.system.server_warnings import MOST_NAMED, ServerWarning

MOST_PROVIDERS = 100


def warn_of_providers(living: Iterable[WorkerAnnounced]) -> list[ServerWarning]:
    """One for each provider that a process does not ask now."""
    found: dict[str, list[tuple[WorkerAnnounced, FailingProvider]]] = {}
    for worker in living:
        for failing in worker.failing_providers:
            found.setdefault(failing.provider, []).append((worker, failing))
    return [_warn_of_provider(provider, found[provider]) for provider in sorted(found)[:MOST_PROVIDERS]]


def _warn_of_provider(provider: str, seen: Sequence[tuple[WorkerAnnounced, FailingProvider]]) -> ServerWarning:
    kinds = ", ".join(sorted({failing.kind for _, failing in seen}))
    names = sorted(worker.name or worker.service for worker, _ in seen)
    more = "" if len(names) <= MOST_NAMED else f" and {len(names) - MOST_NAMED} more"
    return ServerWarning(
        what="provider_failing",
        server=None,
        message=f"The LLM provider {provider} fails ({kinds}).",
        details="Its fallbacks are asked instead, where there are any. From time to time one call tries it again. "
        f"Seen by {', '.join(names[:MOST_NAMED])}{more}.",
        began=min(failing.since for _, failing in seen),
        category="llm_health",
        provider=provider,
    )
