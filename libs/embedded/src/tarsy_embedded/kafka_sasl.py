"""SASL/PLAIN on both listeners of the broker: who knows the password may do everything, and nobody else anything.

The controller's listener has it too: a client of that one could delete topics, or create a user.
"""

from collections.abc import Mapping

USER = "tarsy"
PROTOCOL = "SASL_PLAINTEXT"
MECHANISM = "PLAIN"
_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule"


def sasl_properties(password: str, users: Mapping[str, str]) -> dict[str, str]:
    """`users`: further ones, with their passwords, which hold neither quotes nor backslashes."""
    everybody = {USER: password, **users}
    return {
        "listener.security.protocol.map": f"BROKER:{PROTOCOL},CONTROLLER:{PROTOCOL}",
        "sasl.enabled.mechanisms": MECHANISM,
        "sasl.mechanism.inter.broker.protocol": MECHANISM,
        "sasl.mechanism.controller.protocol": MECHANISM,
        "listener.name.broker.plain.sasl.jaas.config": _jaas_line(password, everybody),
        "listener.name.controller.plain.sasl.jaas.config": _jaas_line(password, {USER: password}),
    }


def kcat_configuration(bootstrap: str, password: str) -> str:
    """For `kcat -F`, and every other client that is made of librdkafka."""
    settings = {
        "bootstrap.servers": bootstrap,
        "security.protocol": PROTOCOL,
        "sasl.mechanism": MECHANISM,
        "sasl.username": USER,
        "sasl.password": password,
    }
    return "".join(f"{name}={value}\n" for name, value in settings.items())


def _jaas_line(password: str, users: Mapping[str, str]) -> str:
    known = " ".join(f'user_{name}="{secret}"' for name, secret in users.items())
    return f'{_MODULE} required username="{USER}" password="{password}" {known};'
