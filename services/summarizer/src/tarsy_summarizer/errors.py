"""The base of all exceptions of tarsy_summarizer."""


class SummarizerError(Exception):
    """A result cannot be summarized."""
