"""Transport security of Kafka clients: TLS, client certificates and SASL, as arguments of aiokafka.

All clients of a Bus share one value, and with it one SSL context and one token command.
"""

import logging
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from pydantic import SecretStr

from tarsy_bus.client.aiokafka_internals.oauth_refusals import notice_refused_tokens
from tarsy_bus.client.token_command import TokenCommand

OAUTHBEARER = "OAUTHBEARER"
NOTHING = SecretStr("")


class SecuritySettings(Protocol):
    """The security settings of a Kafka client, each checked before; empty where they do not apply."""

    @property
    def kafka_security_protocol(self) -> str: ...
    @property
    def kafka_ca_file(self) -> str: ...
    @property
    def kafka_cert_file(self) -> str: ...
    @property
    def kafka_key_file(self) -> str: ...
    @property
    def kafka_key_password(self) -> SecretStr: ...
    @property
    def kafka_sasl_mechanism(self) -> str: ...
    @property
    def kafka_username(self) -> str: ...
    @property
    def kafka_password(self) -> SecretStr: ...
    @property
    def kafka_token_command(self) -> str: ...


@dataclass(frozen=True)
class KafkaSecurity:
    """The protocol is one of Kafka's four names. Files are PEM; without `ca_file` the system's authorities count.

    The token command is not in the repr: its arguments may hold a secret.
    """

    protocol: str = "PLAINTEXT"
    ca_file: str = ""
    cert_file: str = ""
    key_file: str = ""
    key_password: SecretStr = NOTHING
    mechanism: str = ""
    username: str = ""
    password: SecretStr = NOTHING
    token_command: str = field(default="", repr=False)

    @cached_property
    def client_arguments(self) -> Mapping[str, object]:
        """For every client of aiokafka; made once. Raises OSError when a file cannot be used."""
        if self.protocol == "PLAINTEXT":
            return {}
        return {"security_protocol": self.protocol, **self._tls_arguments(), **self._sasl_arguments()}

    def _tls_arguments(self) -> dict[str, object]:
        return {"ssl_context": self._ssl_context()} if self.protocol.endswith("SSL") else {}

    def _sasl_arguments(self) -> dict[str, object]:
        if not self.protocol.startswith("SASL_"):
            return {}
        if self.mechanism == OAUTHBEARER:
            notice_refused_tokens()
            return {"sasl_mechanism": OAUTHBEARER, "sasl_oauth_token_provider": TokenCommand(self.token_command)}
        _mute_clear_passwords()
        return {
            "sasl_mechanism": self.mechanism,
            "sasl_plain_username": self.username,
            "sasl_plain_password": self.password.get_secret_value(),
        }

    def _ssl_context(self) -> ssl.SSLContext:
        """The certificate of the broker is checked, and that it names the host we connect to."""
        context = ssl.create_default_context(cafile=self.ca_file or None)
        if self.ca_file:
            # Python refuses certificates that leave out extensions of RFC 5280. Those that Kafka's documentation
            # makes do, and no other client of Kafka minds.
            context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        if self.cert_file:
            # Without a password given, OpenSSL would ask for it at the terminal.
            context.load_cert_chain(self.cert_file, self.key_file or None, self.key_password.get_secret_value)
        return context


PLAINTEXT = KafkaSecurity()


def security_of(settings: SecuritySettings) -> KafkaSecurity:
    return KafkaSecurity(
        protocol=settings.kafka_security_protocol,
        ca_file=settings.kafka_ca_file,
        cert_file=settings.kafka_cert_file,
        key_file=settings.kafka_key_file,
        key_password=settings.kafka_key_password,
        mechanism=settings.kafka_sasl_mechanism,
        username=settings.kafka_username,
        password=settings.kafka_password,
        token_command=settings.kafka_token_command,
    )


def _mute_clear_passwords() -> None:
    """aiokafka warns at each connection that a password goes in the clear. It is the operator's setting."""
    logging.getLogger("aiokafka.conn").addFilter(_is_no_password_warning)


def _is_no_password_warning(record: logging.LogRecord) -> bool:
    return record.msg != "Sending username and password in the clear"
