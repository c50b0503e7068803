"""Certificates for tests: an authority, and certificates that it signs."""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Certificate:
    """PEM files. `both` holds the key, which has no password there, and the certificate."""

    cert: Path
    key: Path
    both: Path


class Authority:
    """As `openssl req -x509` makes one: its certificate says nothing of what its key is for."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = _named(name)
        self._key = ec.generate_private_key(ec.SECP256R1())
        basic = x509.BasicConstraints(ca=True, path_length=None)
        made = self._extend(_builder(self._name, self._name, self._key).add_extension(basic, critical=True), self._key)
        self.file = folder / f"{name}.pem"
        self.file.write_bytes(made.sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM))

    def sign(self, name: str, *, address: str = "", hosts: Sequence[str] = (), password: str = "") -> Certificate:
        """With `address` or `hosts`, for a server there."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _builder(_named(name), self._name, key)
        names: list[x509.GeneralName] = [x509.DNSName(host) for host in hosts]
        if address:
            names.append(x509.IPAddress(ipaddress.ip_address(address)))
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        cert = self._extend(builder, key).sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM)
        files = Certificate(*(self._folder / f"{name}.{end}" for end in ("cert.pem", "key.pem", "both.pem")))
        files.cert.write_bytes(cert)
        files.key.write_bytes(_pem(key, BestAvailableEncryption(password.encode()) if password else NoEncryption()))
        files.both.write_bytes(_pem(key, NoEncryption()) + cert)
        return files

    def _extend(self, builder: x509.CertificateBuilder, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        return builder


class CompleteAuthority(Authority):
    """With the extensions of RFC 5280, without which urllib3 takes no certificate."""

    def _extend(self, builder: x509.CertificateBuilder, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        signs = key is self._key
        usage = x509.KeyUsage(not signs, False, False, False, False, signs, signs, False, False)
        return (
            builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
            .add_extension(usage, critical=True)
        )


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - DAY)
        .not_valid_after(now + DAY)
    )


def _pem(key: ec.EllipticCurvePrivateKey, encryption: KeySerializationEncryption) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)
