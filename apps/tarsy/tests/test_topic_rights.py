"""`tarsy topics show` and `tarsy topics acls`: printed without a cluster, for whoever makes them."""

import itertools
import json
import re
import shlex
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from tarsy_bus.topics.kafka_rights import INGEST, SERVICES, USERS
from tarsy_cli.app import cli
from tarsy_contracts.wire.topics import Topics

SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
"""A name that Kubernetes takes (RFC 1123)."""


def printed(*arguments: str) -> str:
    result = CliRunner().invoke(cli, ["topics", *arguments], env={"TARSY_KAFKA": None, "TARSY_TOPIC_PREFIX": None})
    assert result.exit_code == 0, result.output
    return result.stdout


def resources(*arguments: str) -> list[Mapping[str, Any]]:
    return list(yaml.safe_load_all(printed(*arguments, "--output", "strimzi")))


def granted(line: str) -> set[tuple[str, str, str, str]]:
    """Principal, pattern, operation and topic or group of each right that a command of `kafka-acls.sh` grants."""
    words = shlex.split(line)
    told = list(itertools.pairwise(words))
    (principal,) = [value for option, value in told if option == "--allow-principal"]
    pattern = dict(told).get("--resource-pattern-type", "literal")
    named = [f"{option[2:]} {value}" for option, value in told if option in ("--topic", "--group")]
    return {(principal, pattern, value, name) for option, value in told if option == "--operation" for name in named}


@pytest.mark.parametrize("prefix", ["tarsy", "Team_A"])
def test_topics_are_resources_that_kubernetes_takes_and_are_made_as_we_would_make_them(prefix: str) -> None:
    found = resources("show", "--prefix", prefix, "--cluster", "main", "--partitions", "48", "--replication", "2")
    assert all(SUBDOMAIN.fullmatch(one["metadata"]["name"]) for one in found)
    assert len({one["metadata"]["name"] for one in found}) == len(found)
    assert {one["apiVersion"] for one in found} == {"kafka.strimzi.io/v1"}
    assert {one["kind"] for one in found} == {"KafkaTopic"}
    assert [one["metadata"]["labels"] for one in found] == [{"strimzi.io/cluster": "main"}] * len(found)
    assert [one["spec"] for one in found] == [
        {
            "topicName": topic.name,
            "partitions": topic.partitions,
            "replicas": 2,
            "config": topic.settings(2),
        }
        for topic in Topics(prefix).all(48)
    ]


def test_an_older_strimzi_gets_the_version_that_it_knows() -> None:
    assert {one["apiVersion"] for one in resources("show", "--strimzi-api", "v1beta2")} == {"kafka.strimzi.io/v1beta2"}


def test_users_are_resources_with_their_rights() -> None:
    found = resources("acls", "--service", "ingest", "--cluster", "main", "--authentication", "tls")
    (user,) = found
    assert (user["kind"], user["metadata"]["name"]) == ("KafkaUser", "tarsy-ingest")
    assert user["spec"]["authentication"] == {"type": "tls"}
    told = {
        (acl["resource"]["type"], acl["resource"]["name"], acl["resource"]["patternType"], tuple(acl["operations"]))
        for acl in user["spec"]["authorization"]["acls"]
    }
    assert told == {
        (right.resource, right.name, "prefix" if right.prefixed else "literal", right.operations)
        for right in INGEST.rights(Topics())
    }


def test_commands_grant_what_the_json_says_and_nothing_else() -> None:
    options = ("--prefix", "team", "--principal-prefix", "User:team ")
    lines = [line for line in printed("acls", *options).splitlines() if not line.startswith("#")]
    told = set().union(*map(granted, lines))
    rows = json.loads(printed("acls", *options, "--output", "json"))
    assert told == {
        (row["principal"], row["pattern"], operation, f"{row['resource']} {row['name']}")
        for row in rows
        for operation in row["operations"]
    }
    assert {row["user"] for row in rows} == USERS.keys() - {"up"}
    assert {row["principal"] for row in rows} >= {f"User:team {user.name}" for user in SERVICES}


def test_commands_say_how_to_connect() -> None:
    lines = printed(
        "acls", "--service", "reader", "--kafka", "k:9", "--command-config", "admin.properties"
    ).splitlines()
    assert all(
        line.startswith("kafka-acls.sh --bootstrap-server k:9 --command-config admin.properties --add ")
        for line in lines[1:]
    )


def test_a_service_that_is_not_there_is_named_with_those_that_are() -> None:
    result = CliRunner().invoke(cli, ["topics", "acls", "--service", "nobody"])
    assert result.exit_code == 2
    assert "There is no nobody: --service is one of ingest, orchestrator" in " ".join(result.output.split())
