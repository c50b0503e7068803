"""The private parts of aiokafka that we use: an upgrade that moves one is told in a sentence."""

import pytest
from aiokafka.conn import AIOKafkaConnection
from aiokafka.consumer.fetcher import PartitionRecords
from aiokafka.producer.message_accumulator import MessageAccumulator

from tarsy_bus.client.aiokafka_internals.check import find_missing_parts
from tarsy_bus.client.aiokafka_internals.oauth_refusals import notice_refused_tokens


def test_the_installed_aiokafka_has_every_private_part_that_is_used() -> None:
    assert list(find_missing_parts()) == []


def test_a_part_that_this_process_has_replaced_is_looked_at_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    # It is put back at the end.
    monkeypatch.setattr(AIOKafkaConnection, "authenticator_oauth", AIOKafkaConnection.authenticator_oauth)
    notice_refused_tokens()
    assert list(find_missing_parts()) == []


def test_a_part_that_moved_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(MessageAccumulator, "fail_all")
    monkeypatch.setattr(PartitionRecords, "_unpack_records", None)
    assert list(find_missing_parts()) == [
        "aiokafka's MessageAccumulator has no fail_all any more: see tarsy_bus/client/aiokafka_internals",
        "aiokafka's PartitionRecords has no _unpack_records any more: see tarsy_bus/client/aiokafka_internals",
    ]


def test_code_that_uses_another_name_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aiokafka.admin.AIOKafkaAdminClient.__init__", lambda self: None)
    assert list(find_missing_parts()) == [
        "aiokafka's AIOKafkaAdminClient.__init__ knows no _client any more: see tarsy_bus/client/aiokafka_internals"
    ]
