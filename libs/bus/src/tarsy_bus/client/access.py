"""Reasons why a Kafka listener refuses a secured connection.

aiokafka only logs the reason, and raises the same error as for an unreachable broker.
"""

import asyncio
import ssl
from dataclasses import dataclass

from aiokafka.errors import (
    IllegalSaslStateError,
    KafkaConnectionError,
    KafkaError,
    SaslAuthenticationFailed,
    UnsupportedSaslMechanismError,
)

from tarsy_bus.client.aiokafka_internals.connections import collect_hosts, try_connection
from tarsy_bus.client.connection import Bus
from tarsy_bus.client.reachability import find_unreachable_step
from tarsy_bus.client.token_command import TokenCommandError
from tarsy_bus.errors import BusError

SECONDS = 10.0
"""Longer than a token command may take."""


class KafkaAccessError(BusError):
    """Kafka refuses us, or we refuse it; the message says why, and what to set. The operator corrects it."""


@dataclass(frozen=True, slots=True)
class KafkaRefusal:
    """`lasts`: waiting does not mend it."""

    sentence: str
    lasts: bool


async def find_refusal(bus: Bus) -> KafkaRefusal | None:
    """The refusal of the first broker that says something; where none does, the step that the first one leaves open.

    None where a broker lets us in.
    """
    silent: tuple[str, int] | None = None
    for host, port, _ in collect_hosts(bus.bootstrap, randomize=False):
        try:
            async with asyncio.timeout(SECONDS):
                await try_connection(host, port, bus.client_arguments)
        except (OSError, KafkaError) as problem:
            if (refusal := refusal_of(problem, f"Kafka at {host}:{port}", bus.security.protocol)) is not None:
                return refusal
            silent = silent or (host, port)
        else:
            return None
    return None if silent is None else await _explain_no_answer(*silent, bus.security.protocol)


async def _explain_no_answer(host: str, port: int, protocol: str) -> KafkaRefusal:
    step = await find_unreachable_step(host, port)
    if not step:
        steps = [*(["TLS"] if "SSL" in protocol else []), *(["login"] if "SASL" in protocol else []), "first request"]
        step = f"{', '.join(steps)}: the connection is taken, and nothing answers"
    return KafkaRefusal(f"Kafka at {host}:{port}, {step}", lasts=False)


def refusal_of(problem: BaseException, kafka: str, protocol: str) -> KafkaRefusal | None:
    match problem:
        case TokenCommandError():
            return KafkaRefusal(problem.args[0], lasts=False)
        case ssl.SSLCertVerificationError():
            return KafkaRefusal(
                f"{kafka} shows a certificate that is not trusted ({problem.verify_message}): TARSY_KAFKA_CA_FILE has "
                "to hold the authority that signed it, and the certificate has to name this address",
                lasts=True,
            )
        case SaslAuthenticationFailed():
            return KafkaRefusal(
                f"{kafka} refuses who we say we are ({problem.args[0]}): see TARSY_KAFKA_USERNAME, "
                "TARSY_KAFKA_PASSWORD, TARSY_KAFKA_TOKEN_COMMAND",
                lasts=True,
            )
        case UnsupportedSaslMechanismError():
            return KafkaRefusal(f"{kafka} does not have the mechanism of TARSY_KAFKA_SASL_MECHANISM", lasts=True)
        case IllegalSaslStateError():
            return KafkaRefusal(f"{kafka} has no SASL there, and {_protocol_phrase(protocol)}", lasts=True)
        case KafkaConnectionError() | ssl.SSLError() | ConnectionResetError():
            return _explain_closed_connection(problem, kafka, protocol)
        case _:
            return None


def _explain_closed_connection(problem: BaseException, kafka: str, protocol: str) -> KafkaRefusal | None:
    """A broker that closes a connection does not say why, unless TLS does."""
    reason = problem if isinstance(problem, ssl.SSLError) else problem.__cause__
    match reason:
        case ssl.SSLError() if reason.reason and "CERTIFICATE" in reason.reason:
            return KafkaRefusal(
                f"{kafka} does not take our certificate ({reason.reason}): see TARSY_KAFKA_CERT_FILE", lasts=True
            )
        case ssl.SSLError() | asyncio.IncompleteReadError() | None:
            return KafkaRefusal(
                f"{kafka} closes the connection: {_protocol_phrase(protocol)}, which may not be what that listener "
                "speaks",
                lasts=False,
            )
        case _:
            return None


def _protocol_phrase(protocol: str) -> str:
    return f"TARSY_KAFKA_SECURITY_PROTOCOL is {protocol}"
