"""Figures that a test comes by: `pytest -rP` shows them. They go into notes; a test checks a bound, never a figure."""

import os


def measured(what: str, seconds: float) -> None:
    print(f"measured: {what} after {seconds:.2f} s, at load {os.getloadavg()[0]:.1f}")  # noqa: T201 - it is for people
