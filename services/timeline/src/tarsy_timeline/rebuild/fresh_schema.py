"""Fresh schema of a rebuild: all tables, without the indexes that only readers need until the rows are there."""

from collections.abc import Sequence

from tarsy_timeline.migrations import migrate
from tarsy_timeline.single_connection import SingleConnection
from tarsy_timeline.sql import REBUILD


async def make_fresh_schema(connection: SingleConnection, schema: str) -> Sequence[str]:
    """Replaces what an earlier rebuild left behind. Returns the statements that make the indexes left out."""
    async with connection.transaction():
        await connection.execute(f'drop schema if exists "{schema}" cascade')
        await connection.execute(f'set local search_path = "{schema}"')
        await migrate(connection, schema)
        found = await connection.fetch(REBUILD["secondary_indexes"], schema)
        for row in found:
            await connection.execute(f'drop index "{schema}"."{row["indexname"]}"')
    return [row["indexdef"] for row in found]


async def make_indexes(connection: SingleConnection, schema: str, statements: Sequence[str]) -> None:
    """And the statistics that the planner goes by."""
    for statement in statements:
        await connection.execute(statement)
    tables = await connection.fetch(REBUILD["tables_of"], schema)
    for row in tables:
        await connection.execute(f'analyze "{schema}"."{row["tablename"]}"')
