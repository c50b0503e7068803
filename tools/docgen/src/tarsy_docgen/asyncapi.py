"""The AsyncAPI 3 document: every topic and the WebSocket, what lies in it, who sends and who receives."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from tarsy_contracts.wire.topics import Topics
from tarsy_docgen.channels import CHANNELS, Channel, Sent
from tarsy_docgen.messages import all_schemas, as_file
from tarsy_docgen.schema import Schema
from tarsy_docgen.websocket_channel import (
    CHANNEL,
    SERVER,
    websocket_channel,
    websocket_messages,
    websocket_operations,
    websocket_schemas,
    websocket_server,
)

KAFKA_BINDING = "0.5.0"
ABOUT = """\
TARSy's services talk through Kafka. Our messages are CloudEvents 1.0 in Kafka's binary mode, with JSON in the value.
The names of the topics begin with `tarsy` unless TARSY_TOPIC_PREFIX says otherwise. docs/reference/events.md describes
the same for people. What people see live goes over a WebSocket, described here, too.
"""


def asyncapi_document() -> str:
    schemas, topics = all_schemas(), Topics()
    return as_file(
        {
            "asyncapi": "3.0.0",
            "info": {"title": "TARSy", "version": "1", "description": ABOUT},
            "defaultContentType": "application/json",
            "servers": {"kafka": kafka_server(), SERVER: websocket_server()},
            "channels": {
                **{channel.topic: channel_object(channel, topics) for channel in CHANNELS},
                CHANNEL: websocket_channel(),
            },
            "operations": {**dict(_operations()), **websocket_operations()},
            "components": {
                "messages": {
                    **{
                        message_key(sent): message_object(channel, sent, schemas)
                        for channel in CHANNELS
                        for sent in channel.messages
                    },
                    **websocket_messages(),
                },
                "schemas": websocket_schemas(),
            },
        }
    )


def kafka_server() -> JsonValue:
    return {
        "host": "{bootstrap}",
        "protocol": "kafka",
        "description": "The Kafka that TARSY_KAFKA names.",
        "variables": {"bootstrap": {"default": "127.0.0.1:9092", "description": "HOST:PORT"}},
    }


def channel_object(channel: Channel, topics: Topics) -> JsonValue:
    topic = channel.find_topic(topics)
    settings = topic.settings()
    return {
        "address": topic.name,
        "title": channel.title,
        "description": f"{channel.about} Key: {channel.key}.",
        "servers": [{"$ref": "#/servers/kafka"}],
        "messages": {
            message_key(sent): {"$ref": f"#/components/messages/{message_key(sent)}"} for sent in channel.messages
        },
        "bindings": {
            "kafka": {
                "bindingVersion": KAFKA_BINDING,
                "topic": topic.name,
                "partitions": topic.partitions,
                "topicConfiguration": {
                    "cleanup.policy": [settings["cleanup.policy"]],
                    "retention.ms": int(settings["retention.ms"]),
                    "max.message.bytes": int(settings["max.message.bytes"]),
                    "message.timestamp.type": settings["message.timestamp.type"],
                },
            }
        },
    }


def message_object(channel: Channel, sent: Sent, schemas: dict[str, Schema]) -> JsonValue:
    message: dict[str, JsonValue] = {
        "name": sent.name,
        "bindings": {"kafka": {"bindingVersion": KAFKA_BINDING, "key": {"type": "string", "description": channel.key}}},
    }
    if (headers := sent.headers or channel.headers) is not None:
        message["headers"] = {"$ref": f"./{headers}.json"}
    if sent.schema is None:
        return message | {"summary": channel.about, "payload": {}}
    schema = schemas[sent.schema]
    text = schema["type"] == "string"
    return message | {
        "title": schema["title"],
        "summary": schema["description"],
        "contentType": "text/plain" if text else "application/json",
        "payload": {"$ref": f"./{sent.schema}.json"},
    }


def _operations() -> Iterator[tuple[str, JsonValue]]:
    """One for each service and topic that it writes to or reads."""
    for channel in CHANNELS:
        yield from _of(channel, "send", ((sent, sent.by) for sent in channel.messages))
        yield from _of(channel, "receive", ((sent, sent.to) for sent in channel.messages))


def _of(
    channel: Channel, action: str, messages: Iterable[tuple[Sent, Iterable[str]]]
) -> Iterator[tuple[str, JsonValue]]:
    by_service: defaultdict[str, list[JsonValue]] = defaultdict(list)
    for sent, services in messages:
        for service in services:
            by_service[service].append({"$ref": f"#/channels/{channel.topic}/messages/{message_key(sent)}"})
    for service, references in by_service.items():
        yield (
            f"{service}.{action}.{channel.topic}",
            {
                "action": action,
                "title": f"{channel.title}: {service} {'writes' if action == 'send' else 'reads'}",
                "channel": {"$ref": f"#/channels/{channel.topic}"},
                "messages": references,
                "tags": [{"name": service}],
            },
        )


def message_key(sent: Sent) -> str:
    return sent.name.replace(" ", "-")
