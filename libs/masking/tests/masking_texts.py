"""Texts and values out of the pieces that mean something to masking, in any order."""

from hypothesis import strategies as st

from tarsy_masking.patterns import read_patterns

_FILE = read_patterns()
PATTERNS = (*_FILE.patterns, *_FILE.opt_in)
_PIECES = st.sampled_from(
    [sample for pattern in PATTERNS for texts in pattern.samples.items() for sample in texts]
    + [text for pattern in PATTERNS for text in pattern.ordinary]
    + ["kind: Secret\n", "data:\n", "  a: b\n", "---\n", '{"kind":"Secret","data":{"a":"b"}}', '"data":{', "- ", "  "]
    + ["kind: SecretList\n", "items:\n", '\\"data\\":{\\"', '"kind": "Secret"', "\t", "@@ ", "+", "\r\n", "é", "|\n"]
    + ["=", ":", " ", "\n", '"', "'", "\\", "[", "]", "{", "}", "@", "://", "--", ",", "password", "token: ", "secret="]
)
TEXTS = st.lists(st.one_of(_PIECES, st.text(max_size=8)), max_size=8).map("".join)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), TEXTS),
    lambda inner: st.lists(inner) | st.dictionaries(st.one_of(st.text(max_size=5), _PIECES), inner),
    max_leaves=8,
)
