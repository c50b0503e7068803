"""A Kafka with a listener for each way to secure one, and users."""

import base64
import json
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tarsy_embedded.jars import kafka_jars
from tarsy_embedded.java import find_java
from tarsy_embedded.kafka import EmbeddedKafka
from tarsy_processes.ports import free_port
from tarsy_testing.real_servers import cache_dir
from tarsy_testing.servers.certificates import Authority, Certificate

USER = "tarsy"
PASSWORD = "a secret, with a comma"
KEY_PASSWORD = "another secret"
HOST = "127.0.0.1"
CONNECTION_MS = 2_000
"""A connection with a token lasts so long; then the broker ends it."""
LISTENERS = {
    "TLS": "SSL",
    "MTLS": "SSL",
    "USERS": "SASL_SSL",
    "OPEN": "SASL_PLAINTEXT",
    "TOKENS": "SASL_SSL",
}
PLAIN_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule"
SCRAM_MODULE = "org.apache.kafka.common.security.scram.ScramLoginModule"
TOKEN_MODULE = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule"


@dataclass(frozen=True, slots=True)
class SecuredKafka:
    """`ports` by the name of the listener; `plaintext` is a listener without any security."""

    authority: Authority
    client: Certificate
    ports: Mapping[str, int]
    plaintext: str

    def bootstrap(self, listener: str) -> str:
        return f"{HOST}:{self.ports[listener]}"


@contextmanager
def secured_kafka(folder: Path) -> Iterator[SecuredKafka]:
    folder.mkdir()
    authority = Authority(folder, "authority")
    server = authority.sign("server", address=HOST)
    client = authority.sign("client", password=KEY_PASSWORD)
    port, controller = free_port(), free_port()
    ports = {name: free_port() for name in LISTENERS}
    settings = {**_listeners(port, controller, ports), **_tls(authority, server), **_sasl()}
    broker = EmbeddedKafka(
        folder / "kafka", port=port, cache_dir=cache_dir(), progress=lambda _: None, settings=settings
    )
    with broker:
        _add_scram_user(broker.bootstrap)
        yield SecuredKafka(authority, client, ports, broker.bootstrap)


def token(seconds: float = 3600) -> str:
    """A JWT without a signature, which the broker takes for one."""
    now = time.time()
    claims = {"sub": USER, "iat": now, "exp": now + seconds}
    return f"{_base64({'alg': 'none'})}.{_base64(claims)}."


def _base64(part: Mapping[str, object]) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")


def _listeners(port: int, controller: int, ports: Mapping[str, int]) -> dict[str, str]:
    own = {"BROKER": port, **ports}
    protocols = {"BROKER": "PLAINTEXT", "CONTROLLER": "PLAINTEXT", **LISTENERS}
    addresses = [f"{name}://{HOST}:{at}" for name, at in own.items()]
    return {
        "listeners": ",".join([*addresses, f"CONTROLLER://{HOST}:{controller}"]),
        "advertised.listeners": ",".join(addresses),
        "controller.quorum.voters": f"1@{HOST}:{controller}",
        "listener.security.protocol.map": ",".join(f"{name}:{protocol}" for name, protocol in protocols.items()),
    }


def _tls(authority: Authority, server: Certificate) -> dict[str, str]:
    return {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(server.both),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(authority.file),
        "listener.name.mtls.ssl.client.auth": "required",
    }


def _sasl() -> dict[str, str]:
    found = {
        "listener.name.tokens.sasl.enabled.mechanisms": "OAUTHBEARER",
        "listener.name.tokens.oauthbearer.connections.max.reauth.ms": str(CONNECTION_MS),
    }
    found["listener.name.tokens.oauthbearer.sasl.jaas.config"] = (
        f'{TOKEN_MODULE} required unsecuredLoginStringClaim_sub="{USER}";'
    )
    for listener in ("users", "open"):
        name = f"listener.name.{listener}"
        found[f"{name}.sasl.enabled.mechanisms"] = "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512"
        found[f"{name}.plain.sasl.jaas.config"] = f'{PLAIN_MODULE} required user_{USER}="{PASSWORD}";'
        for mechanism in ("scram-sha-256", "scram-sha-512"):
            found[f"{name}.{mechanism}.sasl.jaas.config"] = f"{SCRAM_MODULE} required;"
    return found


def _add_scram_user(bootstrap: str) -> None:
    """By Kafka's own command: aiokafka cannot. It refuses two mechanisms in one request."""
    jars = kafka_jars(cache_dir(), lambda _: None)
    java = [str(find_java().path), "-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", ":".join(map(str, jars))]
    to = ["--bootstrap-server", bootstrap, "--entity-type", "users", "--entity-name", USER, "--alter"]
    for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
        command = ["kafka.admin.ConfigCommand", *to, "--add-config", f"{mechanism}=[password={PASSWORD}]"]
        done = subprocess.run([*java, *command], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, (done.stdout + done.stderr)[-2_000:]
