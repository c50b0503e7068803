"""Rights on Kafka, as data. tests-e2e/test_least_rights.py runs a whole system with them."""

from tarsy_bus.topics.kafka_rights import (
    ALERT_SENDER,
    AUDITOR,
    SERVICES,
    TIMELINE,
    TOPICS_APPLY,
    UP,
    USERS,
    KafkaUser,
    Right,
)
from tarsy_contracts.wire.topics import Topics

TOPICS = Topics("team")


def writers_of(topic: str) -> set[str]:
    return {user.name for user in SERVICES if topic in user.writes}


def operations(user: KafkaUser) -> set[tuple[str, str, bool, str]]:
    return {
        (right.resource, right.name, right.prefixed, operation)
        for right in user.rights(TOPICS)
        for operation in right.operations
    }


def test_every_topic_that_is_named_exists() -> None:
    there = {topic.name for topic in TOPICS.all()}
    named = {f"team.{topic}" for user in USERS.values() for topic in (*user.reads, *user.writes)}
    assert named <= there


def test_every_topic_is_written_by_somebody_and_read_by_somebody() -> None:
    there = {topic.name for topic in TOPICS.all()}
    assert {f"team.{topic}" for user in USERS.values() for topic in user.writes} == there
    read = {f"team.{topic}" for user in (*SERVICES, AUDITOR) for topic in user.reads}
    assert read == there


def test_only_the_orchestrator_writes_history_and_has_tools_run() -> None:
    for topic in ("sessions", "heads", "held", "tool-calls", "summaries", "control"):
        assert writers_of(topic) == {"orchestrator"}


def test_who_sends_alerts_may_write_them_and_nothing_else() -> None:
    assert operations(ALERT_SENDER) == {("topic", "team.alerts", False, "Write")}


def test_a_rebuild_of_the_timeline_has_a_group_of_its_own() -> None:
    assert Right("group", "team.timeline", ("Read",), prefixed=True) in TIMELINE.rights(TOPICS)


def test_one_user_for_all_has_the_rights_of_all() -> None:
    assert operations(UP) == set().union(*(operations(user) for user in (*SERVICES, TOPICS_APPLY)))


def test_only_what_is_optional_is_not_required() -> None:
    for user in USERS.values():
        left_out = set(user.rights(TOPICS)) - set(user.list_required_rights(TOPICS))
        assert left_out == {Right("topic", f"team.{topic}", ("Read",)) for topic in user.optional_reads}, user.name


def test_each_topic_and_group_comes_once() -> None:
    for user in USERS.values():
        named = [(right.resource, right.name, right.prefixed) for right in user.rights(TOPICS)]
        assert len(named) == len(set(named)), user.name
