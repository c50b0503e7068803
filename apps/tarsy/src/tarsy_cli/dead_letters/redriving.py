"""Re-drives of dead letters, a line for each."""

from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from tarsy_cli.api import post
from tarsy_cli.console.terminal import say
from tarsy_cli.console.units import format_count
from tarsy_cli.dead_letters.letter_ids import whole_letter_id
from tarsy_contracts.api.dead_letters import RedriveAnswer, Redriven

TAKEN = ("redriven", "would_redrive")


def redrive_some(api: str, letters: Sequence[str]) -> int:
    """How many were not taken. Raises CommandError."""
    ids = [whole_letter_id(api, given) for given in letters]
    return _print_outcomes(Redriven.model_validate(post(f"{api}/dead-letters/{id}/redrive", None)) for id in ids)


def redrive_all(api: str, wanted: Mapping[str, str], *, dry_run: bool) -> int:
    """As many requests as it takes. Raises CommandError."""
    after, refused, seen = "", 0, 0
    while True:
        body: dict[str, JsonValue] = {**wanted, "dry_run": dry_run, "after": after}
        answer = RedriveAnswer.model_validate(post(f"{api}/dead-letters/redrive", body))
        refused += _print_outcomes(answer.letters)
        seen += len(answer.letters)
        if answer.next is None:
            break
        after = answer.next
    did = "would be re-driven" if dry_run else "re-driven"
    say(f"{format_count(seen - refused, 'dead letter')} {did}{f', {refused} not' if refused else ''}.")
    return refused


def _print_outcomes(done: Iterable[Redriven]) -> int:
    refused = 0
    for one in done:
        say(f"{one.id}: {one.outcome}: {one.message}")
        refused += one.outcome not in TAKEN
    return refused
