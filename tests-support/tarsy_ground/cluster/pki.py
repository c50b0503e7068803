"""An authority of the cluster, and for each component a certificate and a kubeconfig."""

import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

DAY = timedelta(days=1)
SIGNING = x509.KeyUsage(
    digital_signature=True,
    key_cert_sign=True,
    crl_sign=True,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    encipher_only=False,
    decipher_only=False,
)
USAGES = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH])


@dataclass(frozen=True, slots=True)
class Identity:
    """The user and group that Kubernetes reads from a certificate; `names` are those of a server."""

    user: str
    group: str = ""
    names: tuple[str, ...] = ()


class ClusterAuthority:
    """Writes all files into `folder`."""

    def __init__(self, folder: Path, api_server: str) -> None:
        folder.mkdir()
        self.folder, self._api_server = folder, api_server
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _subject(Identity("cluster-authority"))
        basic = x509.BasicConstraints(ca=True, path_length=None)
        public = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        made = _builder(self._name, self._name, self._key).add_extension(basic, critical=True)
        self._write("ca", made.add_extension(SIGNING, critical=True).add_extension(public, critical=False), self._key)

    def sign(self, name: str, identity: Identity) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        # Python verifies by the letter of RFC 5280.
        signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        builder = _builder(_subject(identity), self._name, key).add_extension(USAGES, critical=False)
        builder = builder.add_extension(signer, critical=False)
        if identity.names:
            names = x509.SubjectAlternativeName([_general_name(one) for one in identity.names])
            builder = builder.add_extension(names, critical=False)
        self._write(name, builder, key)
        (self.folder / f"{name}.conf").write_text(yaml.safe_dump(self._kubeconfig(name)), "utf-8")

    def write_token_keys(self) -> None:
        """Those that sign the tokens of ServiceAccounts."""
        key = ec.generate_private_key(ec.SECP256R1())
        (self.folder / "tokens.key").write_bytes(_pem(key))
        public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        (self.folder / "tokens.pub").write_bytes(public)

    def _write(self, name: str, builder: x509.CertificateBuilder, key: ec.EllipticCurvePrivateKey) -> None:
        certificate = builder.sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM)
        (self.folder / f"{name}.crt").write_bytes(certificate)
        (self.folder / f"{name}.key").write_bytes(_pem(key))

    def _kubeconfig(self, name: str) -> object:
        files = {kind: str(self.folder / f"{name}.{kind}") for kind in ("crt", "key")}
        cluster = {"server": self._api_server, "certificate-authority": str(self.folder / "ca.crt")}
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "cluster", "cluster": cluster}],
            "users": [{"name": name, "user": {"client-certificate": files["crt"], "client-key": files["key"]}}],
            "contexts": [{"name": "cluster", "context": {"cluster": "cluster", "user": name}}],
            "current-context": "cluster",
        }


def _subject(identity: Identity) -> x509.Name:
    attributes = [x509.NameAttribute(NameOID.COMMON_NAME, identity.user)]
    if identity.group:
        attributes.append(x509.NameAttribute(NameOID.ORGANIZATION_NAME, identity.group))
    return x509.Name(attributes)


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


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
