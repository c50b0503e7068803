"""The table of topics."""

import pytest

from tarsy_contracts.wire.topics import FOREVER, LIMIT_BYTES, Topic, Topics

TOPICS = {topic.name: topic for topic in Topics().all()}


def test_inbox_log_heads_and_held_have_the_same_partitions() -> None:
    """Who owns a partition of the inbox owns the same partition of the log."""
    assert TOPICS["tarsy.inbox"].partitions == TOPICS["tarsy.sessions"].partitions == TOPICS["tarsy.heads"].partitions
    assert TOPICS["tarsy.held"].partitions == TOPICS["tarsy.inbox"].partitions


def test_a_large_site_has_more_of_those_three() -> None:
    found = {topic.name: topic.partitions for topic in Topics().all(48)}
    assert found["tarsy.inbox"] == found["tarsy.sessions"] == found["tarsy.heads"] == 48
    assert found["tarsy.tool-calls"] == TOPICS["tarsy.tool-calls"].partitions


@pytest.mark.parametrize(("copies", "in_sync"), [(1, "1"), (2, "1"), (3, "2"), (5, "2")])
def test_acknowledged_means_on_two_brokers_where_there_are_three_copies(copies: int, in_sync: str) -> None:
    for topic in TOPICS.values():
        settings = topic.settings(copies)
        assert settings["min.insync.replicas"] == in_sync
        assert settings["unclean.leader.election.enable"] == "false"
        assert settings["compression.type"] == "producer"


def test_every_topic_has_its_own_name_under_the_prefix() -> None:
    names = [topic.name for topic in Topics("mine").all()]
    assert len(set(names)) == len(names) == 17
    assert all(name.startswith("mine.") for name in names)


def test_every_name_of_the_table_is_a_topic_that_is_made() -> None:
    named = [name for name, one in vars(Topics).items() if isinstance(one, property)]
    assert {getattr(Topics(), name) for name in named} == set(TOPICS)


def test_two_prefixes_share_no_topic() -> None:
    assert not {topic.name for topic in Topics("a").all()} & {topic.name for topic in Topics("b").all()}


def test_only_heads_catalog_and_what_is_held_are_compacted() -> None:
    """Compaction keeps the last record of a key: of the session log it would delete the history."""
    compacted = {name for name, topic in TOPICS.items() if topic.compacted}
    assert compacted == {"tarsy.heads", "tarsy.held", "tarsy.catalog", "tarsy.mcp-tokens"}


def test_the_log_its_heads_what_is_held_the_catalog_and_the_layout_are_never_deleted_by_time() -> None:
    forever = {name for name, topic in TOPICS.items() if topic.retention_ms == FOREVER}
    assert forever == {
        "tarsy.sessions",
        "tarsy.heads",
        "tarsy.held",
        "tarsy.catalog",
        "tarsy.mcp-tokens",
        "tarsy.layout",
    }


def test_announcements_and_their_order_need_one_partition() -> None:
    assert TOPICS["tarsy.workers"].partitions == 1


@pytest.mark.parametrize("topic", TOPICS.values(), ids=lambda topic: topic.name)
def test_the_broker_stamps_every_record_and_takes_a_batch_at_our_limit(topic: Topic) -> None:
    settings = topic.settings()
    assert settings["message.timestamp.type"] == "LogAppendTime"
    assert int(settings["max.message.bytes"]) > LIMIT_BYTES
    assert settings["cleanup.policy"] == ("compact" if topic.compacted else "delete")
    assert settings["retention.ms"] == str(topic.retention_ms)
    assert settings["retention.bytes"] == "-1"


def test_what_is_kept_for_minutes_or_hours_lies_in_segments_that_can_be_deleted_in_that_time() -> None:
    segments = {name: topic.settings().get("segment.ms") for name, topic in TOPICS.items()}
    assert segments["tarsy.stream"] == segments["tarsy.tool-calls"] == "900000"
    assert segments["tarsy.control"] == segments["tarsy.workers"] == "225000"
    assert segments["tarsy.sessions"] is segments["tarsy.results"] is segments["tarsy.heads"] is None
