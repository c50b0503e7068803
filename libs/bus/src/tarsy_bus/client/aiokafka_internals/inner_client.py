"""The client inside aiokafka's clients, and copies of its functions that find other names."""

from collections.abc import Callable
from types import FunctionType

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.client import AIOKafkaClient

type Client = AIOKafkaProducer | AIOKafkaConsumer | AIOKafkaAdminClient


def inner_client(client: Client) -> AIOKafkaClient:
    return client.client if isinstance(client, AIOKafkaProducer) else client._client


def copy_with_names(function: FunctionType, **names: Callable[..., object]) -> FunctionType:
    """A copy of a function that finds other classes and functions under these global names."""
    copy = FunctionType(
        function.__code__, function.__globals__ | names, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy
