"""What services are told, and what people are shown."""

import socket
from pathlib import Path

import pytest

from tarsy_local.addresses import HOST, Addresses
from tarsy_local.front_door.inner_doors import InnerDoors
from tarsy_local.instance import Instance
from tarsy_local.instance_counts import SERVICES
from tarsy_local.kept_keys import MASKING_KEY, TOKEN_KEY, read_or_create_key
from tarsy_local.many_processes import service_environment
from tarsy_local.up import NamedServers
from tarsy_service.settings.secret_files import SecretFileError
from tarsy_timeline.database.url import without_password

URL = "postgresql://tarsy:pass%2Fword@db.example:5433/tarsy?sslmode=require"
KEY = "0123456789abcdef-word"
TOKENS = "fedcba9876543210-word"
PASSWORD_FILE = Path("/home/kafka/password")
DOORS = InnerDoors({"timeline": 21001, "ingest": 21002})


def addresses(*, own_broker: bool = True, http_host: str = HOST, base_path: str = "") -> Addresses:
    return Addresses(
        kafka="kafka-1:9092,kafka-2:9092",
        database=URL,
        http_host=http_host,
        base_path=base_path,
        http_port=8080,
        config_dir=Path("config"),
        topic_prefix="team",
        own_broker=own_broker,
        own_database=False,
        masking_key=KEY,
        token_key=TOKENS,
        kafka_password_file=PASSWORD_FILE if own_broker else None,
    )


def test_a_dead_member_is_replaced_sooner_on_our_own_broker() -> None:
    told = addresses(own_broker=True).environment({})
    assert told["TARSY_CLIENT"] == f"{socket.gethostname()}-up", "the same when it is started again"
    assert told["TARSY_GROUP_SESSION_TIMEOUT_MS"] == "3000"
    assert not [name for name in addresses(own_broker=False).environment({}) if "GROUP" in name]


@pytest.mark.parametrize("own_broker", [True, False])
def test_timeouts_that_somebody_set_stay(own_broker: bool) -> None:
    around = {"TARSY_GROUP_SESSION_TIMEOUT_MS": "9000"}
    assert "TARSY_GROUP_SESSION_TIMEOUT_MS" not in addresses(own_broker=own_broker).environment(around)
    assert (
        service_environment("ingest", addresses(own_broker=own_broker), DOORS, around)["TARSY_GROUP_SESSION_TIMEOUT_MS"]
        == "9000"
    )


def test_only_the_timeline_is_told_of_the_database() -> None:
    around = {"TARSY_DATABASE": "postgresql://other"}
    assert service_environment("timeline", addresses(own_broker=True), DOORS, around)["TARSY_DATABASE"] == URL
    for service in ("ingest", "orchestrator", "tool-gateway", "summarizer", "websocket-gateway", "notifier"):
        assert "TARSY_DATABASE" not in service_environment(service, addresses(own_broker=True), DOORS, around)


def test_all_services_that_mask_have_the_same_key_and_the_others_have_none() -> None:
    around = {"TARSY_MASKING_KEY": KEY}
    for service in ("ingest", "orchestrator", "tool-gateway", "summarizer", "timeline"):
        assert service_environment(service, addresses(own_broker=True), DOORS, around)["TARSY_MASKING_KEY"] == KEY
    for service in ("websocket-gateway", "notifier"):
        assert "TARSY_MASKING_KEY" not in service_environment(service, addresses(own_broker=True), DOORS, around)


def test_a_masking_key_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    made = read_or_create_key(MASKING_KEY, tmp_path, {})
    (file,) = tmp_path.iterdir()
    assert len(made) == 64
    assert file.stat().st_mode & 0o777 == 0o600
    assert read_or_create_key(MASKING_KEY, tmp_path, {}) == made
    assert read_or_create_key(MASKING_KEY, tmp_path / "elsewhere", {"TARSY_MASKING_KEY": KEY}) == KEY


def test_the_key_of_logins_is_another_one_and_the_tool_gateways_only(tmp_path: Path) -> None:
    assert read_or_create_key(TOKEN_KEY, tmp_path, {}) != read_or_create_key(MASKING_KEY, tmp_path, {})
    for service in SERVICES:
        told = service_environment(service, addresses(), DOORS, {"TARSY_TOKEN_KEY": "of the environment"})
        assert told.get("TARSY_TOKEN_KEY") == (TOKENS if service == "tool-gateway" else None)


def test_a_masking_key_may_lie_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n", encoding="ascii")
    assert read_or_create_key(MASKING_KEY, tmp_path / "elsewhere", {"TARSY_MASKING_KEY_FILE": str(file)}) == KEY
    with pytest.raises(SecretFileError, match="which TARSY_MASKING_KEY_FILE names, cannot be read"):
        read_or_create_key(MASKING_KEY, tmp_path, {"TARSY_MASKING_KEY_FILE": str(tmp_path / "nothing")})


def test_files_of_secrets_are_read_once_and_services_get_what_was_in_them() -> None:
    around = {"TARSY_MASKING_KEY_FILE": "/run/secrets/key", "TARSY_DATABASE_FILE": "/run/secrets/database"}
    told = service_environment("timeline", addresses(own_broker=True), DOORS, around)
    assert {name: told[name] for name in around} == dict.fromkeys(around, "")
    assert (told["TARSY_MASKING_KEY"], told["TARSY_DATABASE"]) == (KEY, URL)


def test_the_security_of_another_kafka_is_not_that_of_our_own() -> None:
    around = {
        "TARSY_KAFKA_SECURITY_PROTOCOL": "SASL_SSL",
        "TARSY_KAFKA_CA_FILE": "/etc/ca.pem",
        "TARSY_KAFKA_PASSWORD": "secret",
        "TARSY_KAFKA_PASSWORD_FILE": "/run/secrets/kafka",
    }
    ours = service_environment("ingest", addresses(own_broker=True), DOORS, around)
    assert {name: ours[name] for name in around} == {
        "TARSY_KAFKA_SECURITY_PROTOCOL": "SASL_PLAINTEXT",
        "TARSY_KAFKA_CA_FILE": "",
        "TARSY_KAFKA_PASSWORD": "",
        "TARSY_KAFKA_PASSWORD_FILE": str(PASSWORD_FILE),
    }
    assert (ours["TARSY_KAFKA_SASL_MECHANISM"], ours["TARSY_KAFKA_USERNAME"]) == ("PLAIN", "tarsy")
    theirs = service_environment("ingest", addresses(own_broker=False), DOORS, around)
    assert {name: theirs[name] for name in around} == around


def test_only_services_that_ask_others_get_the_key_for_it_and_all_know_who_may_ask() -> None:
    around = {"TARSY_API_KEY": "k", "TARSY_API_KEY_FILE": "/run/secrets/k", "TARSY_AUTH_FILE": "/etc/tarsy/auth.yaml"}
    told = {service: service_environment(service, addresses(own_broker=True), DOORS, around) for service in SERVICES}
    asking = {"timeline", "tool-gateway", "websocket-gateway", "notifier"}
    assert {one for one in SERVICES if "TARSY_API_KEY" in told[one]} == asking
    assert {one for one in SERVICES if "TARSY_API_KEY_FILE" in told[one]} == asking
    assert {environment["TARSY_AUTH_FILE"] for environment in told.values()} == {"/etc/tarsy/auth.yaml"}


def test_services_ask_each_other_through_the_inner_doors() -> None:
    told = service_environment("timeline", addresses(own_broker=True), DOORS, {})
    assert told["TARSY_TIMELINE_URL"] == "http://127.0.0.1:21001"
    assert told["TARSY_INGEST_URL"] == "http://127.0.0.1:21002"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (URL, "postgresql://db.example:5433/tarsy"),
        ("postgresql://tarsy@db.example/tarsy", "postgresql://db.example:5432/tarsy"),
        ("postgresql://db.example/tarsy?user=tarsy&password=secret", "postgresql://db.example:5432/tarsy"),
        ("postgresql://t:secret@[::1]:5432/tarsy", "postgresql://[::1]:5432/tarsy"),
        ("postgresql://t:12/secret@db.example/tarsy", "postgresql://…"),
        ("postgresql://t:secret/x@db.example/tarsy", "postgresql://…"),
        ("postgresql:///tarsy?password=secret@x", "postgresql://…"),
        ("secret", "://…"),
    ],
)
def test_a_password_is_shown_to_nobody(url: str, shown: str) -> None:
    assert without_password(url) == shown


def test_a_password_is_in_no_representation() -> None:
    one = addresses(own_broker=True)
    instance = Instance(state="ready", pid=1, database=URL)
    shown = "".join(map(repr, (one, NamedServers("", URL), instance)))
    assert not [secret for secret in ("pass%2Fword", KEY) if secret in shown]


@pytest.mark.parametrize(
    ("http_host", "reachable"),
    [
        ("127.0.0.1", "127.0.0.1:8080"),
        ("0.0.0.0", "127.0.0.1:8080"),
        ("::", "[::1]:8080"),
        ("::1", "[::1]:8080"),
        ("192.0.2.7", "192.0.2.7:8080"),
        ("build-7", "build-7:8080"),
    ],
)
def test_addresses_that_are_shown_can_be_reached(http_host: str, reachable: str) -> None:
    shown = addresses(http_host=http_host)
    assert (shown.http_url, shown.websocket_url) == (f"http://{reachable}", f"ws://{reachable}")
    assert shown.environment({})["TARSY_TIMELINE_URL"] == f"http://{reachable}"
    assert shown.environment({"TARSY_HTTP_HOST": http_host})["TARSY_HTTP_HOST"] == HOST


def test_below_a_path_addresses_are_shown_with_it_and_services_are_told_it() -> None:
    shown = addresses(base_path="/tarsy")
    assert (shown.http_url, shown.websocket_url) == ("http://127.0.0.1:8080/tarsy", "ws://127.0.0.1:8080/tarsy")
    assert shown.environment({"TARSY_BASE_PATH": "/other"})["TARSY_BASE_PATH"] == "/tarsy"
    assert shown.http_settings({}).http_policy.base_path == "/tarsy"


@pytest.mark.parametrize("http_host", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_nobody_else_reaches_the_loopback(http_host: str) -> None:
    assert addresses(http_host=http_host).warnings({}) == []


@pytest.mark.parametrize(
    ("http_host", "shown"),
    [("0.0.0.0", socket.gethostname()), ("::", socket.gethostname()), ("fd00::2", "[fd00::2]"), ("build-7", "build-7")],
)
def test_who_listens_for_others_is_warned(http_host: str, shown: str) -> None:
    (line,) = addresses(http_host=http_host).warnings({"TARSY_OPEN_ACCESS": "yes"})
    assert line.startswith(f"Warning: whoever reaches http://{shown}:8080/ may")
    assert "TARSY_OPEN_ACCESS=yes" in line


def test_with_authentication_only_the_missing_tls_is_warned_of() -> None:
    (line,) = addresses(http_host="0.0.0.0").warnings({"TARSY_AUTH_FILE": "/etc/tarsy/auth.yaml"})
    assert ("without TLS" in line, "may read, submit" in line) == (True, False)
