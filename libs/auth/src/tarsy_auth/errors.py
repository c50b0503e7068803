"""The base of all exceptions of tarsy_auth."""


class AuthError(Exception):
    """Callers cannot be told apart as the operator wants it."""
