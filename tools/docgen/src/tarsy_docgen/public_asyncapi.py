"""The AsyncAPI 3 document of the public topic alone: for teams that write a consumer."""

from tarsy_contracts.wire.topics import Topics
from tarsy_docgen.asyncapi import channel_object, kafka_server, message_key, message_object
from tarsy_docgen.channels import EVENTS_CHANNEL
from tarsy_docgen.messages import as_file, public_schemas

ABOUT = """\
TARSy publishes what happens in its investigations, as CloudEvents 1.0 in Kafka's binary mode, with JSON in the value.
Each event comes at least once, and in order within its session. Repeats have the same `ce_id`. A consumer remembers
the last `ce_sequence` of each session (`ce_subject`), and drops what is not above it. Fields and types are only added:
skip what you do not know. The name of the topic begins with `tarsy` unless TARSY_TOPIC_PREFIX says otherwise.
"""


def public_asyncapi_document() -> str:
    schemas, channel = public_schemas(), EVENTS_CHANNEL
    return as_file(
        {
            "asyncapi": "3.0.0",
            "info": {"title": "TARSy's public events", "version": "1", "description": ABOUT},
            "defaultContentType": "application/json",
            "servers": {"kafka": kafka_server()},
            "channels": {channel.topic: channel_object(channel, Topics())},
            "operations": {
                "publish": {
                    "action": "send",
                    "title": "TARSy publishes its events",
                    "channel": {"$ref": f"#/channels/{channel.topic}"},
                }
            },
            "components": {
                "messages": {message_key(sent): message_object(channel, sent, schemas) for sent in channel.messages}
            },
        }
    )
