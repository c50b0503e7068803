"""The base of all exceptions of tarsy_bus."""


class BusError(Exception):
    """Kafka, or what lies in it, is not as it was expected."""
