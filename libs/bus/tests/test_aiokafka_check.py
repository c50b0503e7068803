"""The private parts of aiokafka that we use: an upgrade that moves one is told in a sentence."""

from collections.abc import Iterator
from inspect import unwrap

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.client import AIOKafkaClient
from aiokafka.cluster import ClusterMetadata
from aiokafka.conn import AIOKafkaConnection, OAuthAuthenticator
from aiokafka.consumer.fetcher import Fetcher, PartitionRecords
from aiokafka.consumer.group_coordinator import GroupCoordinator
from aiokafka.producer.message_accumulator import BatchBuilder, MessageAccumulator, MessageBatch
from aiokafka.producer.sender import Sender

from tarsy_bus.client.aiokafka_internals.oauth_refusals import notice_refused_tokens

READ_BY_US: tuple[tuple[type, str, tuple[str, ...]], ...] = (
    (AIOKafkaProducer, "__init__", ("_sender", "_message_accumulator", "client", "_closed")),
    (AIOKafkaConsumer, "__init__", ("_client", "_coordinator", "_fetcher")),
    (AIOKafkaConsumer, "start", ("Fetcher",)),
    (GroupCoordinator, "__init__", ("generation",)),
    (AIOKafkaAdminClient, "__init__", ("_client",)),
    (AIOKafkaClient, "_md_synchronizer", ("_metadata_update", "_md_update_fut")),
    (AIOKafkaClient, "bootstrap", ("create_conn", "hosts", "cluster", "brokers")),
    (AIOKafkaClient, "force_metadata_update", ()),
    (AIOKafkaClient, "_get_conn", ("create_conn", "cluster", "_conns")),
    (AIOKafkaClient, "close", ()),
    (ClusterMetadata, "leader_for_partition", ("leader",)),
    (AIOKafkaAdminClient, "_send_request", ()),
    (Sender, "sender_task", ()),
    (MessageAccumulator, "fail_all", ("_batches", "_pending_batches", "failure")),
    (MessageBatch, "failure", ("_drain_waiter",)),
    (MessageAccumulator, "create_builder", ("BatchBuilder",)),
    (BatchBuilder, "_build", ("_buffer",)),
    (Fetcher, "__init__", ("_fetch_task", "_pending_tasks", "_closed", "_client")),
    (Fetcher, "_proc_fetch_request", ("MemoryRecords", "PartitionRecords")),
    (AIOKafkaConnection, "_handle_frame", ("_requests",)),
    (PartitionRecords, "__init__", ("_tp", "_records", "_unpack_records", "next_fetch_offset")),
    (PartitionRecords, "_unpack_records", ()),
    (PartitionRecords, "_consumer_record", ()),
    (AIOKafkaConnection, "connect", ("_protocol", "_closed_fut", "_writer")),
    (AIOKafkaConnection, "send", ("_writer", "write", "OSError")),
    (AIOKafkaConnection, "authenticator_oauth", ("OAuthAuthenticator", "_sasl_oauth_token_provider")),
    (OAuthAuthenticator, "step", ("_token_sent",)),
)
"""A class, a function or property of it, and the names that its code has to use."""


def find_missing_parts() -> Iterator[str]:
    """Sentences about the parts that the installed aiokafka does not have where we look for them."""
    for owner, name, used in READ_BY_US:
        found = getattr(owner, name, None)
        if found is None:
            yield f"aiokafka's {owner.__name__} has no {name} any more: see tarsy_bus/client/aiokafka_internals"
            continue
        # We replace some of them.
        code = getattr(unwrap(found) if callable(found) else found, "__code__", None)
        known = () if code is None else (*code.co_names, *code.co_varnames)
        yield from (
            f"aiokafka's {owner.__name__}.{name} knows no {one} any more: see tarsy_bus/client/aiokafka_internals"
            for one in used
            if one not in known
        )


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
