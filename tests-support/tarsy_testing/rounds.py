"""TARSY_ROUNDS: how many times over tests play that have a small and a large size. `make rounds` sets it."""

import os

VARIABLE = "TARSY_ROUNDS"


def rounds() -> int:
    return int(os.environ.get(VARIABLE, "1"))
