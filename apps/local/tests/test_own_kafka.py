"""Clients log in to the Kafka of `tarsy up` as it is set up."""

from tarsy_embedded import kafka_sasl
from tarsy_local import own_kafka


def test_clients_use_the_login_that_the_broker_has() -> None:
    broker = (kafka_sasl.PROTOCOL, kafka_sasl.MECHANISM, kafka_sasl.USER)
    assert broker == (own_kafka.PROTOCOL, own_kafka.MECHANISM, own_kafka.USER)
