"""A masker whose rules fail: whoever uses it must let nothing through."""

from typing import Any

from tarsy_masking.masker import Masker


class RulesFailedError(Exception):
    """As an engine fails that has no memory left."""


class BrokenMasker(Masker):
    def _mask_until_settled(self, *_: Any, **__: Any) -> Any:
        raise RulesFailedError


def broken_masker() -> Masker:
    return BrokenMasker.default(bytes(32))
