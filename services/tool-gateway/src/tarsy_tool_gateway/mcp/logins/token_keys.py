"""Encryption of logins: AES-256-GCM, with keys that are derived from those of TARSY_TOKEN_KEY."""

import base64
import binascii
import os
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from tarsy_tool_gateway.errors import ToolGatewayError
from tarsy_tool_gateway.mcp.logins.login import McpLogin

NONCE_BYTES = 12
KEY_BYTES = 32
PURPOSE = b"tarsy.mcp-tokens 1"


class NotOpenedError(ToolGatewayError):
    """No key of ours opens it: another key sealed it, or somebody changed it. The operator gives the key."""


class TokenKeys:
    """The first key seals, all of them open: so a key is replaced."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        self._ciphers = [AESGCM(_derive_key(key)) for key in keys]

    def __bool__(self) -> bool:
        return bool(self._ciphers)

    def seal_login(self, login: McpLogin, server: str, number: int) -> str:
        return self.seal(login.model_dump_json().encode(), server, number)

    def open_login(self, sealed: str, server: str, number: int) -> McpLogin:
        """Raises NotOpenedError, and ValidationError for a login of another version."""
        return McpLogin.model_validate_json(self.open(sealed, server, number))

    def seal(self, plain: bytes, server: str, number: int) -> str:
        nonce = os.urandom(NONCE_BYTES)
        return base64.b64encode(
            nonce + self._ciphers[0].encrypt(nonce, plain, _associated_data(server, number))
        ).decode()

    def open(self, sealed: str, server: str, number: int) -> bytes:
        """Raises NotOpenedError."""
        try:
            whole = base64.b64decode(sealed, validate=True)
        except (binascii.Error, ValueError):
            raise NotOpenedError from None
        for cipher in self._ciphers:
            try:
                return cipher.decrypt(whole[:NONCE_BYTES], whole[NONCE_BYTES:], _associated_data(server, number))
            except (InvalidTag, ValueError):
                continue
        raise NotOpenedError


def _derive_key(key: bytes) -> bytes:
    return HKDF(SHA256(), KEY_BYTES, salt=None, info=PURPOSE).derive(key)


def _associated_data(server: str, number: int) -> bytes:
    """Authenticated with it: opened under another server's name, or as another number, it is a changed one."""
    return f"{server}/{number}".encode()
