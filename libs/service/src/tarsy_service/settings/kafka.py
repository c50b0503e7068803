"""Kafka settings of every service and command: where it is, and how connections to it are secured.

Each check belongs to the field that somebody has to change, and looks at the fields before it: all mistakes are told
at once. A field whose own value is wrong is missing in what the later ones see.
"""

import shlex
import shutil
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationInfo, field_validator

from tarsy_service.settings.secret_files import SettingsWithSecretFiles, variable_of, variables_of

MECHANISMS = "PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER"

type SecurityProtocol = Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
type SaslMechanism = Literal["", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"]


class KafkaConnectionSettings(SettingsWithSecretFiles):
    kafka: str = Field("127.0.0.1:9092", description="Kafka's bootstrap servers, HOST:PORT[,HOST:PORT]")
    kafka_security_protocol: SecurityProtocol = Field(
        "PLAINTEXT", description="PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL, as the listener of Kafka has it"
    )
    kafka_ca_file: str = Field(
        "",
        description="a PEM file with the authorities that may have signed the certificates of Kafka; without one, "
        "those of the system",
    )
    kafka_cert_file: str = Field("", description="a PEM file with our certificate, where Kafka asks for one (mTLS)")
    kafka_key_file: str = Field(
        "",
        description="a PEM file with the key of that certificate, where the file of the certificate does not hold it",
    )
    kafka_key_password: SecretStr = Field(SecretStr(""), description="the password of that key, where it has one")
    kafka_sasl_mechanism: SaslMechanism = Field("", description=f"{MECHANISMS}, for SASL_PLAINTEXT and SASL_SSL")
    kafka_username: str = Field("", description="the user, for PLAIN and SCRAM")
    kafka_password: SecretStr = Field(SecretStr(""), description="the password of the user, for PLAIN and SCRAM")
    kafka_token_command: str = Field(
        "",
        description="for OAUTHBEARER: a command, run without a shell, whose first line of output is a token; it is run "
        "again when a connection is made and the token, if it is a JWT, is about to expire",
    )

    @field_validator("kafka_security_protocol", "kafka_sasl_mechanism", mode="before")
    @classmethod
    def _to_upper_case(cls, value: object, info: ValidationInfo) -> object:
        if not isinstance(value, str):
            return value
        return value.strip().upper() or ("PLAINTEXT" if info.field_name == "kafka_security_protocol" else "")

    @field_validator("kafka_ca_file")
    @classmethod
    def _require_ca_file(cls, value: str, info: ValidationInfo) -> str:
        if value:
            _require_tls(info)
            _require_readable(value)
            _require_usable(
                lambda: ssl.create_default_context(cafile=value), f"{value} is no PEM file with certificates"
            )
        return value

    @field_validator("kafka_cert_file")
    @classmethod
    def _require_cert_file(cls, value: str, info: ValidationInfo) -> str:
        if value:
            _require_tls(info)
            _require_readable(value)
        return value

    @field_validator("kafka_key_file")
    @classmethod
    def _require_key_file(cls, value: str, info: ValidationInfo) -> str:
        if value:
            _require_certificate("a key", info)
            _require_readable(value)
        return value

    @field_validator("kafka_key_password")
    @classmethod
    def _require_key_password(cls, value: SecretStr, info: ValidationInfo) -> SecretStr:
        """The last of three, so that they are tried together."""
        cert, key = info.data.get("kafka_cert_file"), info.data.get("kafka_key_file")
        if value.get_secret_value():
            _require_certificate("the password of a key", info)
        if cert and key is not None:
            _require_usable(
                lambda: ssl.create_default_context().load_cert_chain(cert, key or None, value.get_secret_value),
                f"{cert} and {key or 'the key in it'} cannot be used together: they have to be PEM files with a "
                f"certificate and its key, and {variable_of('kafka_key_password')} has to be the password of the key",
            )
        return value

    @field_validator("kafka_sasl_mechanism")
    @classmethod
    def _require_mechanism(cls, value: str, info: ValidationInfo) -> str:
        protocol = str(info.data.get("kafka_security_protocol", ""))
        if value and protocol and not protocol.startswith("SASL_"):
            raise ValueError(
                f"{value} is a mechanism of SASL, and {variable_of('kafka_security_protocol')} is {protocol}: set "
                "that to SASL_SSL or SASL_PLAINTEXT"
            )
        if not value and protocol.startswith("SASL_"):
            raise ValueError(f"{protocol} needs a mechanism: set {MECHANISMS}")
        return value

    @field_validator("kafka_username")
    @classmethod
    def _require_username(cls, value: str, info: ValidationInfo) -> str:
        _require_exactly_with_password(bool(value), "the name of the user", info)
        return value

    @field_validator("kafka_password")
    @classmethod
    def _require_password(cls, value: SecretStr, info: ValidationInfo) -> SecretStr:
        _require_exactly_with_password(
            bool(value.get_secret_value()), f"the password, or {variable_of('kafka_password')}_FILE", info
        )
        return value

    @field_validator("kafka_token_command")
    @classmethod
    def _require_token_command(cls, value: str, info: ValidationInfo) -> str:
        mechanism = info.data.get("kafka_sasl_mechanism")
        if value.strip() and mechanism not in (None, "OAUTHBEARER"):
            raise ValueError(
                f"tokens are for OAUTHBEARER: set {variable_of('kafka_sasl_mechanism')} to it, or leave this one out"
            )
        if not value.strip() and mechanism == "OAUTHBEARER":
            raise ValueError("OAUTHBEARER needs it: set the command that writes a token")
        if value.strip():
            _require_program(value)
        return value


SECURITY_VARIABLES = frozenset(variables_of(KafkaConnectionSettings)) - {variable_of("kafka")}
"""Variables about connections to Kafka, which mean nothing to another Kafka."""


def _require_tls(info: ValidationInfo) -> None:
    protocol = info.data.get("kafka_security_protocol")
    if protocol in ("PLAINTEXT", "SASL_PLAINTEXT"):
        raise ValueError(
            f"{variable_of('kafka_security_protocol')} is {protocol}, which has no TLS: set it to SSL or SASL_SSL, or "
            "leave this one out"
        )


def _require_certificate(what: str, info: ValidationInfo) -> None:
    if info.data.get("kafka_cert_file") == "":
        raise ValueError(f"{what} is of no use without its certificate: set {variable_of('kafka_cert_file')}")


def _require_readable(file: str) -> None:
    try:
        Path(file).read_bytes()
    except OSError as problem:
        raise ValueError(f"{file} cannot be read ({problem.strerror})") from None


def _require_usable(load: Callable[[], object], otherwise: str) -> None:
    try:
        load()
    except (OSError, ValueError) as problem:
        reason = problem.reason if isinstance(problem, ssl.SSLError) else None
        raise ValueError(otherwise if reason is None else f"{otherwise} ({reason})") from None


def _require_exactly_with_password(is_set: bool, what: str, info: ValidationInfo) -> None:
    """User and password belong to PLAIN and SCRAM, and to nothing else."""
    mechanism = info.data.get("kafka_sasl_mechanism")
    if mechanism is None:
        return
    needed = mechanism not in ("", "OAUTHBEARER")
    if needed and not is_set:
        raise ValueError(f"{mechanism} needs it: set {what}")
    if is_set and not needed:
        raise ValueError(
            f"it is for PLAIN and SCRAM: set {variable_of('kafka_sasl_mechanism')} to one of them, or leave it out"
        )


def _require_program(command: str) -> None:
    """The message names the program alone: arguments may hold a secret."""
    try:
        program = shlex.split(command)[0]
    except ValueError as problem:
        raise ValueError(f"it is no command ({problem})") from None
    if shutil.which(program) is None:
        raise ValueError(f"the program {program} is not there, or may not be run")
