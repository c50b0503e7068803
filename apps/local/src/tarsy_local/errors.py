"""The base of all exceptions of tarsy_local."""


class LocalError(Exception):
    """`tarsy up` cannot start, go on or answer."""
