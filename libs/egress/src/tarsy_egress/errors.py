"""Errors of the way out."""


class EgressError(Exception):
    """Base of all errors of this package."""


class AuthoritiesError(EgressError, ValueError):
    """The file of TARSY_CA_FILE cannot be read, or holds no certificate. The operator corrects it."""
