"""`defaults`, `limits`, `queue` and `system`: what holds for all investigations."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, field_validator

from tarsy_config.document.key_paths import DEFAULTS
from tarsy_config.sections.agent_options import SomeOptions, with_options
from tarsy_config.sections.alert_handling import AlertHandling
from tarsy_config.sections.approval import ApprovalSettings, Approve
from tarsy_config.sections.budgets import DayBudgetSettings
from tarsy_config.sections.calendar import MOST_HOLIDAYS, HolidayConfig, OnCall, TimeZone, to_calendar
from tarsy_config.sections.fallbacks import Compose, FallbackChoice, ModelChoice, Scoring
from tarsy_config.sections.masking import AlertMasking
from tarsy_config.sections.memory import MemorySettings
from tarsy_config.sections.notifications import GoTarsySlack
from tarsy_config.sections.verification import Verify
from tarsy_config.values import (
    DEFAULT_ALERT_TYPE,
    Backend,
    Name,
    Positive,
    Seconds,
    Section,
    one_or_several,
    web_address,
    wrong,
)
from tarsy_contracts.calendar import Calendar
from tarsy_contracts.chain import SuccessPolicy

type UnknownAlertType = Literal["refuse", "default_chain"]


@with_options(DEFAULTS)
class Defaults(FallbackChoice, SomeOptions):
    """`llm_provider`: the first of these that can be used, which is one whose API key is set.

    `unknown_alert_type`: what becomes of an alert that asks for a type that no chain names. `agents`: whom an agent of
    this name asks, wherever it runs.
    """

    llm_provider: Annotated[tuple[Name, ...], BeforeValidator(one_or_several)] = ()
    llm_backend: Backend | None = None
    success_policy: SuccessPolicy | None = None
    alert_type: Name = DEFAULT_ALERT_TYPE
    unknown_alert_type: UnknownAlertType = "refuse"
    runbook: str = ""
    label_map: str | None = None
    agents: dict[Name, ModelChoice] = Field(default_factory=dict)
    executive_summary: ModelChoice = ModelChoice()
    compose: Compose = Compose()
    scoring: Scoring = Scoring()
    summarization: ModelChoice = ModelChoice()
    alert_masking: AlertMasking = AlertMasking()
    alerts: AlertHandling = AlertHandling()
    approve: Approve | None = None
    approval: ApprovalSettings = ApprovalSettings()
    verify: Verify | None = None
    actions_per_hour: int = Field(0, ge=0)
    memory: MemorySettings = MemorySettings()


class Limits(Section):
    """How long anybody waits for a call; of an LLM call also: until it says anything, and for more of it.

    `iteration`: all tries of one LLM call. `reply`: a whole reply of a chat.
    `rate_limit`: how long an LLM call may wait because a provider has too much to do. `conclusion`: so long before the
    end of an investigation or a reply, agents lose their tools and conclude. At most a quarter of its time.
    """

    llm_call: Seconds = 300.0
    llm_first_chunk: Seconds = 120.0
    llm_stall: Seconds = 60.0
    tool_call: Seconds = 60.0
    summary: Seconds = 300.0
    iteration: Seconds = 360.0
    rate_limit: Seconds = 600.0
    reply: Seconds = 900.0
    conclusion: Seconds = 180.0


class Queue(Section):
    """`max_concurrent_sessions`: of one orchestrator. `max_pending`: so many sessions may wait, in all of them."""

    max_concurrent_sessions: Positive = 5
    max_pending: Positive = 10_000
    session_timeout: Seconds = 2400.0


class GitHub(Section):
    token_env: Name = "GITHUB_TOKEN"


class Runbooks(Section):
    """`repo_url`: whose runbooks are offered. An alert's own comes from `allowed_domains` only."""

    repo_url: str = ""
    cache_ttl: Seconds = 60.0
    allowed_domains: tuple[Name, ...] = ("github.com", "raw.githubusercontent.com")
    max_bytes: int = Field(256 * 1024, ge=1)
    timeout: Seconds = 10.0

    @field_validator("repo_url")
    @classmethod
    def _require_repo_url(cls, value: str) -> str:
        if value and "@" in web_address(value, "write it as https://github.com/ORG/REPO/tree/BRANCH/FOLDER").netloc:
            raise wrong("holds a user or password", "name the variable of a token in system.github.token_env")
        return value


class Retention(Section):
    """A run of `tarsy retention --config` deletes it. None: nothing of the kind.

    `free_log`: also records of the session log that nobody wants any longer.
    """

    session_retention_days: Positive | None = None
    details_retention_days: Positive | None = None
    free_log: bool = False


class System(Section):
    """`dashboard_url`: where people open the page; links in notifications begin so.

    `holidays`, `time_zone`, `on_call`: what agents are told of the day on which they begin (UTC without a zone).
    """

    github: GitHub = GitHub()
    runbooks: Runbooks = Runbooks()
    slack: GoTarsySlack = GoTarsySlack()
    budgets: DayBudgetSettings = DayBudgetSettings()
    retention: Retention = Retention()
    dashboard_url: str = ""
    holidays: tuple[HolidayConfig, ...] = Field((), max_length=MOST_HOLIDAYS)
    time_zone: TimeZone | None = None
    on_call: OnCall | None = None

    @field_validator("dashboard_url")
    @classmethod
    def _require_dashboard_url(cls, value: str) -> str:
        if value:
            web_address(value, "write it as https://tarsy.example.com")
        return value.rstrip("/")

    @property
    def calendar(self) -> Calendar | None:
        """None where nothing is configured: then no agent hears of it."""
        return to_calendar(self.holidays, self.time_zone, self.on_call)
