"""The base of all exceptions of tarsy_lab."""


class LabError(Exception):
    """The lab's incidents cannot be played."""
