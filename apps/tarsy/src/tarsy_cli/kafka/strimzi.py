"""Topics and users as resources of Strimzi, which makes them where Kafka runs on Kubernetes."""

import re
from collections.abc import Iterable, Mapping, Sequence

import yaml

from tarsy_bus.topics.kafka_rights import KafkaUser, Right
from tarsy_cli.kafka.acl_commands import Grant
from tarsy_cli.kafka.strimzi_choices import ApiVersion, Authentication
from tarsy_contracts.wire.topics import Topic, Topics

type Resource = Mapping[str, object]

NO_NAME = re.compile(r"[^a-z0-9.-]+")


def topic_resources(topics: Iterable[Topic], *, cluster: str, copies: int, version: ApiVersion) -> list[Resource]:
    def spec(topic: Topic) -> Resource:
        return {
            "topicName": topic.name,
            "partitions": topic.partitions,
            "replicas": copies,
            "config": topic.settings(copies),
        }

    return [_make_resource("KafkaTopic", topic.name, cluster, version, spec(topic)) for topic in topics]


def user_resources(
    grants: Sequence[Grant], topics: Topics, *, cluster: str, authentication: Authentication, version: ApiVersion
) -> list[Resource]:
    """Strimzi names the principal of a user as its resource."""

    def spec(user: KafkaUser) -> Resource:
        return {
            "authentication": {"type": authentication},
            "authorization": {"type": "simple", "acls": [_acl_of_right(right) for right in user.rights(topics)]},
        }

    return [
        _make_resource("KafkaUser", principal.removeprefix("User:"), cluster, version, spec(user))
        for user, principal in grants
    ]


def as_yaml(resources: Iterable[Resource]) -> str:
    return yaml.safe_dump_all(resources, sort_keys=False, explicit_start=True)


def resource_name(name: str) -> str:
    """A name that Kubernetes takes: lower case letters, digits, `-` and `.`, with a letter or digit at both ends."""
    return NO_NAME.sub("-", name.lower()).strip("-.")


def _make_resource(kind: str, name: str, cluster: str, version: ApiVersion, spec: Resource) -> Resource:
    return {
        "apiVersion": f"kafka.strimzi.io/{version}",
        "kind": kind,
        "metadata": {"name": resource_name(name), "labels": {"strimzi.io/cluster": cluster}},
        "spec": spec,
    }


def _acl_of_right(right: Right) -> Resource:
    pattern = "prefix" if right.prefixed else "literal"
    return {
        "resource": {"type": right.resource, "name": right.name, "patternType": pattern},
        "operations": list(right.operations),
    }
