"""Metrics of skills: which agents begin with, and which they read. One that nobody reads is seen so."""

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter

from tarsy_contracts.builtin_tools import LOAD_SKILL, OWN_SERVER
from tarsy_contracts.events import Event, ExecutionStarted, ToolCallRequested
from tarsy_session.builtin_tools.load_skill import names_of

OTHER = "other"
LOADING = (OWN_SERVER, LOAD_SKILL)


class SkillMetrics:
    """No name becomes a label that the configuration never had."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._names: frozenset[str] = frozenset()
        self._offered = Counter(
            "tarsy_orchestrator_skills_offered_total",
            "Skills that agents began with, required ones included",
            ["skill"],
            registry=registry,
        )
        self._loaded = Counter(
            "tarsy_orchestrator_skills_loaded_total",
            "Skills that agents read: in their instructions, or loaded, once a call",
            ["skill"],
            registry=registry,
        )

    def know(self, names: Iterable[str]) -> None:
        """These are labels from now on, and begin at 0."""
        self._names |= frozenset(names)
        for name in self._names:
            self._offered.labels(name)
            self._loaded.labels(name)

    def record_event(self, event: Event | None) -> None:
        match event:
            case ExecutionStarted(skills=skills):
                _count(self._offered, (self._label(skill.name) for skill in skills))
                _count(self._loaded, (self._label(skill.name) for skill in skills if skill.required))
            case ToolCallRequested(server=server, tool=tool, arguments=arguments) if (server, tool) == LOADING:
                _count(self._loaded, map(self._label, names_of(arguments)))
            case _:
                pass

    def _label(self, name: str) -> str:
        return name if name in self._names else OTHER


def _count(counter: Counter, labels: Iterable[str]) -> None:
    for label in labels:
        counter.labels(label).inc()
