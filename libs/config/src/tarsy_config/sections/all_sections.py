"""All sections of the configuration, and the entries that are built in."""

from collections.abc import Callable, Mapping, Sequence
from typing import Self

from pydantic import Field, PrivateAttr

from tarsy_config.document.provenance import Sources
from tarsy_config.errors import Note
from tarsy_config.sections import built_in
from tarsy_config.sections.alert_doors import AlertDoor, DoorName
from tarsy_config.sections.approval import Approve
from tarsy_config.sections.chains import Agent, AgentChain
from tarsy_config.sections.defaults import Defaults, Limits, Queue, System
from tarsy_config.sections.fallbacks import Fallbacks
from tarsy_config.sections.labels import LabelMap
from tarsy_config.sections.links import MOST_LINKS, LinkConfig
from tarsy_config.sections.notifications import Receiver, ReceiverName
from tarsy_config.sections.prices import (
    USUAL_LISTS,
    ConfiguredPrice,
    PriceList,
    PriceLists,
    model_prices_of,
)
from tarsy_config.sections.providers import LlmProvider
from tarsy_config.sections.servers import McpServerConfig
from tarsy_config.skills.configured_skill import ConfiguredSkill
from tarsy_config.values import Name, Section, ServerId
from tarsy_contracts.chain import LabelRule
from tarsy_contracts.prices import ModelPrices, TokenPrice
from tarsy_contracts.skills import Skill

SKILL_FOLDERS = ("skills",)
"""Paths from the folder of `tarsy.yaml` on. The first folder that has a name wins."""


class Sections(Section):
    defaults: Defaults = Defaults()
    mcp_servers: dict[ServerId, McpServerConfig] = Field(default_factory=dict)
    agents: dict[Name, Agent] = Field(default_factory=dict)
    agent_chains: dict[Name, AgentChain] = Field(default_factory=dict)
    llm_providers: dict[Name, LlmProvider] = Field(default_factory=dict)
    fallback_lists: dict[Name, Fallbacks] = Field(default_factory=dict)
    label_maps: dict[Name, LabelMap] = Field(default_factory=dict)
    links: dict[Name, LinkConfig] = Field(default_factory=dict, max_length=MOST_LINKS)
    limits: Limits = Limits()
    queue: Queue = Queue()
    system: System = System()
    notifications: dict[ReceiverName, Receiver] = Field(default_factory=dict)
    alert_doors: dict[DoorName, AlertDoor] = Field(default_factory=dict)
    prices: dict[Name, ConfiguredPrice] = Field(default_factory=dict)
    price_lists: PriceLists = USUAL_LISTS
    skill_folders: tuple[Name, ...] = SKILL_FOLDERS
    _sources: Sources = PrivateAttr(default_factory=Sources)
    _notes: tuple[Note, ...] = PrivateAttr(default=())
    _version: str = PrivateAttr(default="")
    _skills: Mapping[str, ConfiguredSkill] = PrivateAttr(default_factory=dict)
    _listed_prices: Mapping[PriceList, Mapping[str, TokenPrice]] = PrivateAttr(default_factory=dict)

    @property
    def sources(self) -> Sources:
        return self._sources

    @property
    def version(self) -> str:
        """A digest of what the files say; none when it was not loaded from files."""
        return self._version

    @property
    def skills(self) -> Mapping[str, ConfiguredSkill]:
        """Those of all folders, by their names."""
        return self._skills

    @property
    def skill_texts(self) -> tuple[Skill, ...]:
        return tuple(one.skill for one in self._skills.values())

    @property
    def model_prices(self) -> ModelPrices:
        """Those of `prices` and of the price lists."""
        return model_prices_of(self.prices, self._listed_prices)

    def with_listed_prices(self, listed: Mapping[PriceList, Mapping[str, TokenPrice]]) -> Self:
        """`listed`: by list, in their order."""
        copy = self.model_copy()
        copy._listed_prices = listed
        return copy

    def with_masked_skills(self, mask: Callable[[str], str]) -> Self:
        """For who records their texts or shows them. Plans name the digests of what was masked."""
        return self.with_skills({name: one.mask_with(mask) for name, one in self._skills.items()})

    def with_skills(self, skills: Mapping[str, ConfiguredSkill]) -> Self:
        copy = self.model_copy()
        copy._skills = skills
        return copy

    def with_more_notes(self, notes: Sequence[Note]) -> Self:
        return self.with_sources(self._sources, [*self._notes, *notes], self._version)

    def with_sources(self, sources: Sources, notes: Sequence[Note], version: str) -> Self:
        copy = self.model_copy()
        copy._sources, copy._notes, copy._version = sources, tuple(notes), version
        return copy

    def approve_of(self, server: McpServerConfig) -> Approve | None:
        """The rule of a server, its own or that of `defaults`; a chain may add to it."""
        return self.defaults.approve if server.approve is None else server.approve

    def labels_of(self, chain: AgentChain) -> LabelRule | None:
        """An empty name in a chain is none, whatever `defaults` say."""
        name = self.defaults.label_map if chain.label_map is None else chain.label_map
        return {**built_in.LABEL_MAPS, **self.label_maps}[name].to_rule() if name else None

    def agent(self, name: str) -> Agent:
        return self.agents[name] if name in self.agents else built_in.AGENTS[name]
