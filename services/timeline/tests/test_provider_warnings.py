"""Warnings about LLM providers, from what processes announce."""

from datetime import UTC, datetime, timedelta

from tarsy_contracts.messages.workers import FailingProvider, WorkerAnnounced
from tarsy_timeline.system.server_watch import warn_of_providers

SINCE = datetime(2026, 11, 29, 20, tzinfo=UTC)


def worker(name: str, *failing: FailingProvider) -> WorkerAnnounced:
    return WorkerAnnounced(worker_id=f"id of {name}", service="summarizer", name=name, failing_providers=failing)


def failing(provider: str, kind: str = "credentials", after: float = 0.0) -> FailingProvider:
    return FailingProvider(provider=provider, kind=kind, failures=1, since=SINCE + timedelta(seconds=after))


def test_nobody_is_warned_of_while_all_are_asked() -> None:
    assert warn_of_providers([worker("a"), worker("b")]) == []


def test_a_provider_is_one_warning_that_names_who_does_not_ask_it_and_since_when() -> None:
    workers = [worker("b", failing("gemini", after=9), failing("claude")), worker("a", failing("gemini", "stalled"))]
    claude, gemini = warn_of_providers(workers)
    assert claude.message == "The LLM provider claude fails (credentials)."
    assert gemini.message == "The LLM provider gemini fails (credentials, stalled)."
    assert gemini.details.endswith("Seen by a, b.")
    assert (gemini.began, gemini.category) == (SINCE, "llm_health")
    assert claude.id != gemini.id
