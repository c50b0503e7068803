"""The base of all exceptions of tarsy_session."""


class SessionError(Exception):
    """A text of a model cannot be read in one way. The caller tries another."""
