"""Recall of each class of secrets, by the samples of its pattern in the places where agents meet them."""

import json
from collections.abc import Callable, Iterator
from functools import cache

from corpus_measures import Share

from tarsy_masking.masker import Masker
from tarsy_masking.patterns import Pattern, PatternFile, read_patterns
from tarsy_masking.scanning.scanner import Scan

PLACES: dict[str, Callable[[str], str]] = {
    "by itself": lambda text: text,
    "between lines": lambda text: f"The pod restarts.\n{text}\nIt was the last line.",
    "in a log": lambda text: f"2026-11-22T10:11:12.123Z INFO checkout-7c9d6f5b84-x2x7k {text}",
    "in a string of JSON": lambda text: json.dumps({"log": text, "stream": "stdout"}),
}


@cache
def of_classes() -> list[tuple[Pattern, dict[str, Share]]]:
    file, masker = read_patterns(), Masker.default()
    return [(pattern, _of(file, pattern, masker)) for pattern in file.patterns]


def class_rows() -> Iterator[str]:
    yield f"| class | what it is | {' | '.join(PLACES)} |"
    yield f"| --- | --- |{' --- |' * len(PLACES)}"
    for pattern, shares in of_classes():
        found = " | ".join(f"{share.right} of {share.of}" for share in shares.values())
        yield f"| `{pattern.name}` | {' '.join(pattern.description.split())} | {found} |"
    every = [share for _, each in of_classes() for share in each.values()]
    right, of = sum(share.right for share in every), sum(share.of for share in every)
    yield f"| all | {right / of:.1%} ({right} of {of}) |{' |' * len(PLACES)}"


def _of(file: PatternFile, pattern: Pattern, masker: Masker) -> dict[str, Share]:
    scan = Scan(file, [pattern], pattern.span)
    shares = {name: Share() for name in PLACES}
    for sample in pattern.samples:
        raw = sample.encode()
        secrets = [edit.secret.decode() for edit in scan.find(raw)]
        for name, placed in PLACES.items():
            masked = masker.mask(placed(sample))
            shares[name].add(not any(secret in masked or json.dumps(secret)[1:-1] in masked for secret in secrets))
    return shares
