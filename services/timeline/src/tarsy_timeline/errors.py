"""The base of all exceptions of tarsy_timeline."""


class TimelineError(Exception):
    """The projection cannot go on as it meant to."""
