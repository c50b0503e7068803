"""Clouds for tests: how they wrap a dialect on the wire, their token servers, and a check of what we show them."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from claude import Said
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from pydantic import JsonValue
from wire import Asked, Reply

from tarsy_llm.model_settings import ModelSettings
from tarsy_testing.servers.event_stream import EVENT_STREAM, claude_frame, event

REGION, ACCESS_KEY, SECRET_KEY = "eu-west-1", "AKIAPLANTED", "planted-secret-key"
SIGNED_AWS = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}
CLOUD_VARIABLES = ("AWS_", "AZURE_", "REQUESTS_", "GOOGLE_", "IDENTITY_", "OPENAI_", "MSI_", "GCE_", "CLOUDSDK_")

KEY_USAGES = (
    "digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
    "key_cert_sign", "crl_sign", "encipher_only", "decipher_only",
)  # fmt: skip


def on_cloud(settings: ModelSettings, **cloud: str) -> ModelSettings:
    """Without the key that other providers are given."""
    return ModelSettings(
        model=settings.model,
        base_url=settings.base_url,
        thinking=settings.thinking,
        max_output_tokens=settings.max_output_tokens,
        cloud=cloud,
    )


def claude_frames(*said: Said) -> list[bytes]:
    """As InvokeModelWithResponseStream sends the events of Claude."""
    return [claude_frame(data) for _, data in said]


def converse_frames(*events: tuple[str, JsonValue]) -> list[bytes]:
    return [event(kind, payload) for kind, payload in events]


def converse(*blocks: tuple[str, JsonValue], reason: str = "end_turn", usage: JsonValue = None) -> Reply:
    counted: JsonValue = usage or {"inputTokens": 25, "outputTokens": 15, "totalTokens": 40}
    ends: list[tuple[str, JsonValue]] = [
        ("messageStop", {"stopReason": reason}),
        ("metadata", {"usage": counted, "metrics": {"latencyMs": 7}}),
    ]
    return Reply(converse_frames(("messageStart", {"role": "assistant"}), *blocks, *ends), content_type=EVENT_STREAM)


def converse_text(index: int, *pieces: str) -> list[tuple[str, JsonValue]]:
    deltas: list[JsonValue] = [{"text": piece} for piece in pieces]
    return converse_block(index, *deltas)


def converse_call(index: int, name: str, *pieces: str) -> list[tuple[str, JsonValue]]:
    start: JsonValue = {"toolUse": {"toolUseId": f"t{index}", "name": name}}
    deltas: list[JsonValue] = [{"toolUse": {"input": piece}} for piece in pieces]
    return [
        ("contentBlockStart", {"contentBlockIndex": index, "start": start}),
        *converse_block(index, *deltas),
    ]


def converse_block(index: int, *deltas: JsonValue) -> list[tuple[str, JsonValue]]:
    begun: list[tuple[str, JsonValue]] = [
        ("contentBlockDelta", {"contentBlockIndex": index, "delta": delta}) for delta in deltas
    ]
    return [*begun, ("contentBlockStop", {"contentBlockIndex": index})]


def assert_signed(asked: Asked, host: str, access_key: str = ACCESS_KEY, secret_key: str = SECRET_KEY) -> None:
    """The signature is that of the request as it came: what AWS does, with the time that the request says."""
    given = asked.headers["authorization"]
    names = given.split("SignedHeaders=")[1].split(",")[0].split(";")
    request = AWSRequest(asked.method, f"http://{host}{asked.target}", data=asked.body)
    for name in names:
        request.headers[name] = asked.headers[name]
    signer = SigV4Auth(
        Credentials(access_key, secret_key, asked.headers.get("x-amz-security-token")), "bedrock", REGION
    )
    request.context["timestamp"] = asked.headers["x-amz-date"]
    canonical = signer.canonical_request(request)
    expected = signer.signature(signer.string_to_sign(request, canonical), request)
    assert given.startswith(f"AWS4-HMAC-SHA256 Credential={access_key}/")
    assert f"/{REGION}/bedrock/aws4_request" in given
    assert given.endswith(f"Signature={expected}")
    assert "host" in names
    sent = datetime.strptime(asked.headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    assert abs((datetime.now(UTC) - sent).total_seconds()) < 300


@contextmanager
def clean_environment(**variables: str) -> Iterator[pytest.MonkeyPatch]:
    """No credentials of the machine's own, and no file of its user; those of the instance are not looked for."""
    import os

    with pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith(CLOUD_VARIABLES):
                patch.delenv(name)
        elsewhere = {
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CONFIG_FILE": "/nonexistent/config",
            "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent/credentials",
            "NO_GCE_CHECK": "true",
            "CLOUDSDK_CONFIG": "/nonexistent",
        }
        for name, value in {**elsewhere, **variables}.items():
            patch.setenv(name, value)
        yield patch


def service_account(folder: Path, token_url: str) -> Path:
    """A file as Google hands it out, with a key of its own."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    account = {
        "type": "service_account",
        "project_id": "shop",
        "private_key_id": "k1",
        "private_key": pem,
        "client_email": "tarsy@shop.iam.gserviceaccount.com",
        "token_uri": token_url,
    }
    (file := folder / "account.json").write_text(json.dumps(account), "utf-8")
    return file


def self_signed(folder: Path) -> Path:
    """A certificate for 127.0.0.1 that strict clients take, with its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    named, now = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "entra")]), datetime.now(UTC)
    allowed = {name: name in ("digital_signature", "key_cert_sign") for name in KEY_USAGES}
    certificate = (
        x509.CertificateBuilder(named, named, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.KeyUsage(**allowed), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (file := folder / "entra.pem").write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()) + certificate.public_bytes(Encoding.PEM)
    )
    return file


def google_token(token: str, seconds: int = 3600) -> Reply:
    body = {"access_token": token, "expires_in": seconds, "token_type": "Bearer"}
    return Reply([json.dumps(body).encode()], content_type="application/json")


def entra_token(token: str, seconds: int = 86_400) -> Callable[[Asked], Reply]:
    """As the managed identity of an App Service answers."""

    def answer(asked: Asked) -> Reply:
        assert asked.headers["x-identity-header"] == "of-the-platform"
        ends = int(datetime.now(UTC).timestamp()) + seconds
        body = {"access_token": token, "expires_on": str(ends), "resource": "r", "token_type": "Bearer"}
        return Reply([json.dumps(body).encode()], content_type="application/json")

    return answer
