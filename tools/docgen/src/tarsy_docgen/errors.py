"""The base of all exceptions of tarsy_docgen."""


class DocgenError(Exception):
    """A document cannot be generated."""
