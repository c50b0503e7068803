"""The base of all exceptions of tarsy_llm."""


class LlmError(Exception):
    """A provider, or a script that stands for one, cannot be used."""
