"""Classification of write errors: wait for PostgreSQL, wait for an operator, or set one record aside. Pure."""

import asyncpg

from tarsy_bus.acceptance import LogMismatchError
from tarsy_timeline.database.pool import UNREACHABLE
from tarsy_timeline.projection.checkpoint import PositionMovedError

OF_THE_DATABASE = frozenset({"08", "25", "28", "3D", "40", "42", "53", "55", "57", "58"})
"""Classes of SQLSTATE that are not about a record. 08, 25, 40, 53 and 57 pass. Other errors affect every record (no
right, no such table, a broken disk) until an operator fixes them. Setting records aside would set the whole log
aside.
"""


def is_of_the_database(problem: Exception) -> bool:
    """The same write may succeed later: nothing is lost by waiting."""
    if isinstance(problem, asyncpg.PostgresError) and problem.sqlstate is not None:
        return problem.sqlstate[:2] in OF_THE_DATABASE
    return isinstance(problem, UNREACHABLE)


def is_of_the_record(problem: Exception) -> bool:
    """It would fail again, whenever it is written: PostgreSQL or the projection does not take the record itself."""
    return not isinstance(problem, PositionMovedError | LogMismatchError) and not is_of_the_database(problem)


def reason_of(problem: Exception) -> str:
    """Without its message, which may quote what was to be written."""
    name = type(problem).__name__
    if isinstance(problem, asyncpg.PostgresError) and problem.sqlstate is not None:
        return f"{name} (SQLSTATE {problem.sqlstate})"
    return name
