"""The base of all exceptions of tarsy_ingest."""


class IngestError(Exception):
    """An alert cannot be taken in."""
