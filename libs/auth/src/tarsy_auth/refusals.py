"""Refusals, each with its sentence. A caller without a valid credential learns nothing that helps to guess one."""

from tarsy_auth.identity import Refusal

MISSING = Refusal("missing", "This needs an API key or a token, as `Authorization: Bearer ...`.")
MALFORMED = Refusal("malformed", "`Authorization` has to be `Bearer`, a space, and an API key or a token.")

_NOT_KNOWN = "This credential is not known here."
UNKNOWN = Refusal("unknown", _NOT_KNOWN)
MALFORMED_KEY = Refusal("malformed", _NOT_KNOWN)
MALFORMED_TOKEN = Refusal("malformed", _NOT_KNOWN)
KEY_EXPIRED = Refusal("expired", "This API key has expired.")

_NOT_SIGNED = "No sender that is known here signed this body."
MALFORMED_SIGNATURE = Refusal("malformed", _NOT_SIGNED)
UNKNOWN_SIGNATURE = Refusal("unknown", _NOT_SIGNED)

REJECTED = Refusal("rejected", "This token is not accepted here.")
# The provider's signature was checked before these two: the caller is somebody, and may know what is wrong.
TOKEN_EXPIRED = Refusal("expired", "This token has expired.")
WITHOUT_ROLE = Refusal("rejected", "This token is valid, but nothing in it gives a role here.")
UNAVAILABLE = Refusal("unavailable", "Tokens cannot be checked now: the keys of their provider cannot be read.")
