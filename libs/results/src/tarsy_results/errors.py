"""The base of all exceptions of tarsy_results."""


class ResultError(Exception):
    """A result cannot be read as it was asked for."""
