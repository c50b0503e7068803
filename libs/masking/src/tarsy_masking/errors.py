"""The base of all exceptions of tarsy_masking."""


class MaskingError(Exception):
    """A text cannot be masked, or the rules for it cannot be used."""
