"""The base of all exceptions of tarsy_service."""


class ServiceError(Exception):
    """A request or a task of a service ends without success."""
