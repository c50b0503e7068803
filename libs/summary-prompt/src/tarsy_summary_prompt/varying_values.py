"""Values with digits that vary from line to line: numbers, durations, sizes, ids. Each becomes one zero. Pure.

Callers come here once for each shape. Each pattern takes linear time, for others decide what lines hold.
"""

import re

ID = b"\xff"
"""Stands for an id. No text in UTF-8 has this byte."""
PODS = re.compile(
    rb"-(?=[a-z]{0,9}[0\xff])[a-z0\xff]{1,10}-[b-df-hj-np-tv-xz0]{5}(?![\w\xff-])"
    rb"|-(?=[a-z]{0,4}0)[b-df-hj-np-tv-xz0]{5}(?![\w\xff-])"
)
"""Endings that Kubernetes gives the names of pods. It uses no vowels, so that no word comes out."""
SIZES = re.compile(rb"(?<![A-Za-z])0 ?(?:[KMGT]i?B|kB)(?![A-Za-z0])|0\xc2\xb5s(?![A-Za-z0])")
QUOTED = re.compile(
    rb"""(?<!"msg":)(?<!"message":)(?<!"event":)(?<!"reason":)"""
    rb"""(?<!"msg": )(?<!"message": )(?<!"event": )(?<!"reason": )"""
    rb"""(?<=[\s:=,(\[])"(?=[^"\s/0]*+0)[^"\s/]*+"(?!\s?:)"""
)
"""Single words. Names of fields and messages of events stay."""
SEGMENTS = re.compile(rb"""/(?=[^\s"',;:=?&/()\[\]{}0]*+0)[^\s"',;:=?&/()\[\]{}]*+""")
MIXED = re.compile(rb"(?<![A-Za-z0])(?:0[A-Za-z0]+|[A-Za-z]+0[A-Za-z]+0[A-Za-z0]*|(?=\w{5})[a-z]+0[a-z]+)(?![A-Za-z0])")
"""Digits among letters. Digits only at the end leave the word as it is: "E1122" and "s3" say something."""


def replace_values(shape: bytes) -> bytes:
    """The shape has zeros for digits."""
    key = _without_repeats(PODS.sub(b"-0-0", shape).replace(ID, b"0"), b"00")
    key = _without_repeats(key, b"0.0")
    key = MIXED.sub(b"0", SIZES.sub(b"0", key))
    return SEGMENTS.sub(b"/0", QUOTED.sub(b'"0"', key))


def _without_repeats(key: bytes, repeated: bytes) -> bytes:
    while repeated in key:
        key = key.replace(repeated, b"0")
    return key
