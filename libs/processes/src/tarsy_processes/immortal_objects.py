"""Immortal objects (PEP 683) for forks: what nobody writes to stays shared with the process that was forked.

CPython counts an object's references in the object itself, so whoever only looks at one writes to its page, and the
fork gets a copy of that: 10 to 15 MB of each service. References of immortal objects, such as None, are not counted.
The proposal has forks in mind; there is no function for it yet, so their counts are written here.
"""

import ctypes
import gc
from collections.abc import Iterator
from types import CodeType

IMMORTAL = 0xFFFF_FFFF
"""The count of an immortal object, which is its first word: CPython 3.12 and 3.13, 64 bits, with the GIL."""
_WORDS = 1 << 44
_WORD_BYTES = 8


def make_immortal() -> bool:
    """Makes all objects immortal that exist now: none is freed any more. False where objects look otherwise."""
    memory = (ctypes.c_uint64 * _WORDS).from_address(0)
    if memory[id(None) // _WORD_BYTES] != IMMORTAL:
        return False
    tracked = gc.get_objects()
    parts = gc.get_referents(*tracked)
    for objects in (tracked, parts, list(_constants(parts))):
        for address in map(id, objects):
            memory[address // _WORD_BYTES] = IMMORTAL
    return True


def _constants(objects: list[object]) -> Iterator[object]:
    """Code objects and their constants: the garbage collector does not look into code."""
    codes = [one for one in objects if type(one) is CodeType]
    while codes:
        code = codes.pop()
        yield code
        yield from code.co_consts
        codes.extend(one for one in code.co_consts if type(one) is CodeType)
