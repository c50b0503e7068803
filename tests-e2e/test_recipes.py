"""Recipes for services of others: each block of their pages is read by what would read it at an operator's."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from secrets import token_bytes
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from pydantic import ValidationError

from tarsy_auth.auth_file import read_auth_file
from tarsy_auth.login_attempt import authorization_address, new_attempt
from tarsy_bus.client.security import security_of
from tarsy_service.settings.kafka import KafkaConnectionSettings
from tarsy_service.settings.service_settings import mistakes_in_settings
from tarsy_testing.chart import container_of, pods_of, variables_of_container
from tarsy_testing.servers.certificates import Authority

PAGES = Path(__file__).resolve().parent.parent / "docs" / "how-to"
BLOCK = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str, language: str, beginning: str) -> list[str]:
    text = (PAGES / f"{page}.md").read_text("utf-8")
    return [
        found["text"]
        for found in BLOCK.finditer(text)
        if found["language"] == language and found["text"].startswith(beginning)
    ]


CONNECTIONS = blocks("managed-kafka", "", "TARSY_KAFKA=")
CHARTS = [
    *blocks("managed-kafka", "yaml", "kafka:"),
    *blocks("proxy-and-authorities", "yaml", "caBundle:"),
    *blocks("images-and-charts", "yaml", "image:"),
]
LOGINS = blocks("openid-providers", "yaml", "tokens:")


def test_each_service_has_its_blocks() -> None:
    assert (len(CONNECTIONS), len(CHARTS), len(LOGINS)) == (6, 6, 3)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The files that the recipes name below /etc/tarsy and /run/secrets."""
    authority = Authority(tmp_path, "authority")
    client = authority.sign("client")
    for name, content in {
        "aiven-ca.pem": authority.file.read_bytes(),
        "redpanda-ca.pem": authority.file.read_bytes(),
        "service.cert": client.cert.read_bytes(),
        "service.key": client.key.read_bytes(),
        "kafka-password": b"planted\n",
        "kafka-secret": b"planted\n",
    }.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


@pytest.fixture
def bare_environment() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith("TARSY_"):
                patch.delenv(name)
        patch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        yield patch


@pytest.mark.parametrize("block", CONNECTIONS, ids=lambda block: block.split("=")[1].split(".")[1])
def test_the_variables_of_a_managed_kafka_are_a_connection(
    block: str, files: Path, bare_environment: pytest.MonkeyPatch
) -> None:
    for line in block.splitlines():
        name, _, value = line.partition("=")
        bare_environment.setenv(name, re.sub(r"(/etc/tarsy|/run/secrets)/", f"{files}/", value))
    try:
        settings = KafkaConnectionSettings()
    except ValidationError as problem:
        pytest.fail("\n".join(mistakes_in_settings(problem)))
    assert security_of(settings).client_arguments["security_protocol"] in ("SSL", "SASL_SSL")


@pytest.mark.parametrize("block", CHARTS, ids=lambda block: block.split()[1])
def test_values_of_a_recipe_are_taken_by_the_chart(block: str, tmp_path: Path) -> None:
    (values := tmp_path / "values.yaml").write_text(block, "utf-8")
    pods = dict(pods_of("default", "--values", str(values)))
    told = variables_of_container(pods["tool-gateway"])
    given = yaml.safe_load(block)
    if "kafka" in given:
        assert told["TARSY_KAFKA"] == given["kafka"]["bootstrapServers"]
        assert told["TARSY_KAFKA_SASL_MECHANISM"] == given["kafka"]["sasl"]["mechanism"]
    elif "proxy" in given:
        assert told["HTTPS_PROXY"] == given["proxy"]["https"]
        assert told["TARSY_CA_FILE"]
    else:
        assert str(container_of(pods["ingest"])["image"]).endswith(given["image"]["digest"])


@pytest.mark.parametrize("block", LOGINS, ids=lambda block: block.split("//")[1].split("/")[0].split()[0])
def test_the_file_of_a_provider_has_no_mistakes_and_leads_there(block: str, tmp_path: Path) -> None:
    for name, content in {
        "auth.yaml": block,
        "client.secret": "planted" * 4,
        "refresh.key": "0123456789abcdef" * 4,
    }.items():
        (tmp_path / name).write_text(content, "utf-8")
        (tmp_path / name).chmod(0o640)
    config = read_auth_file(tmp_path / "auth.yaml")
    assert config.tokens is not None
    assert config.login is not None
    assert config.login.client_id in config.tokens.audience
    address = urlsplit(authorization_address(config.login, new_attempt("/", token_bytes)))
    query = parse_qs(address.query, strict_parsing=True)
    assert query["client_id"] == [config.login.client_id]
    assert query["code_challenge_method"] == ["S256"]
    google = address.netloc == "accounts.google.com"
    assert ("access_type" in query, "offline_access" in config.login.scope) == (google, not google)
