"""`tarsy topics apply`, on the real Kafka."""

import asyncio

from typer.testing import CliRunner

from tarsy_bus.connection import Bus
from tarsy_cli.app import cli
from tarsy_contracts.topics import Topics
from tarsy_testing import delete_topics


def test_topics_are_made_once_and_checked_afterwards(kafka_bootstrap: str, topic_prefix: str) -> None:
    arguments = ["topics", "apply", "--kafka", kafka_bootstrap, "--prefix", topic_prefix]
    first = CliRunner().invoke(cli, arguments)
    assert first.exit_code == 0
    assert first.output.splitlines() == [f"made {topic.name}" for topic in Topics(topic_prefix).all()]
    assert CliRunner().invoke(cli, arguments).output == "All topics are there.\n"
    asyncio.run(delete_topics(Bus(bootstrap=kafka_bootstrap, topics=Topics(topic_prefix), client="test")))
