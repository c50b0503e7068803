"""Set-up that the doctor looks at: a TARSy that `tarsy up` has started, or what the environment names."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from tarsy_bus.client.connection import Bus
from tarsy_bus.client.security import KafkaSecurity, security_of
from tarsy_contracts.wire.topics import Topics
from tarsy_local.instance import Home, Instance
from tarsy_local.instance_kafka import choose_kafka, security_of_own_kafka
from tarsy_service.settings.kafka import KafkaConnectionSettings
from tarsy_service.settings.secret_files import SecretFileError, read_secret_file
from tarsy_timeline.settings import DEFAULT_SCHEMA

CLIENT = "tarsy-doctor"
DEFAULT_CONFIG = "config"


@dataclass(frozen=True, slots=True)
class Named:
    """Options of the command; empty where they are left out."""

    url: str = ""
    kafka: str = ""
    database: str = field(default="", repr=False)
    topic_prefix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """`bus` is None where no Kafka is known, `database` and `api` are empty; `why_not` says why.

    `variables`: those that the command reads besides the settings of services.
    """

    home: Path
    config_dir: Path
    environ: Mapping[str, str] = field(repr=False)
    bus: Bus | None = None
    database: str = field(default="", repr=False)
    schema: str = DEFAULT_SCHEMA
    api: str = ""
    why_not: str = ""
    asks_models: bool = True
    variables: frozenset[str] = frozenset()

    @property
    def address(self) -> str:
        """The root of all that a running TARSy serves."""
        return self.api.removesuffix("/api/v1")


def find_setup(
    home: Path,
    config_dir: Path | None,
    environ: Mapping[str, str],
    named: Named,
    *,
    asks_models: bool = True,
    variables: frozenset[str] = frozenset(),
) -> Setup:
    """An option counts before the TARSy that runs in the home, which counts before the environment.

    `config_dir`: as an option names it.
    """
    found = None if named.url else Home(home).find_running()
    running = found if found is not None and found.state == "ready" else None
    return Setup(
        home=home,
        config_dir=config_dir or _config_dir(running, environ),
        environ=environ,
        bus=_make_bus(named, running, environ),
        database=named.database or _find_database(running, environ),
        schema=environ.get("TARSY_DATABASE_SCHEMA") or DEFAULT_SCHEMA,
        api=named.url or (running.api if running is not None else ""),
        why_not=f"no TARSy is ready in {home}" if running is None else "",
        asks_models=asks_models,
        variables=variables,
    )


def _config_dir(running: Instance | None, environ: Mapping[str, str]) -> Path:
    configured = running.config_dir if running is not None else ""
    return Path(configured or environ.get("TARSY_CONFIG_DIR") or DEFAULT_CONFIG)


def _make_bus(named: Named, running: Instance | None, environ: Mapping[str, str]) -> Bus | None:
    """None also where the settings are wrong: another check says so."""
    kafka, prefix = choose_kafka(named.kafka, named.topic_prefix, running, environ)
    security = security_of_own_kafka(running, kafka) or _read_security_if_valid()
    if not kafka or security is None:
        return None
    return Bus(kafka, Topics(prefix), client=CLIENT, security=security)


def _read_security_if_valid() -> KafkaSecurity | None:
    try:
        return security_of(KafkaConnectionSettings())
    except ValidationError:
        return None


def _find_database(running: Instance | None, environ: Mapping[str, str]) -> str:
    """The file of a running TARSy has no password of another's server: the environment may."""
    if running is not None and _has_own(running, "postgresql"):
        return running.database
    try:
        return read_secret_file("database", environ) or environ.get("TARSY_DATABASE", "")
    except SecretFileError:
        return ""


def _has_own(running: Instance, server: str) -> bool:
    return any(process.service == server for process in running.processes)
