"""Fresh schema of a rebuild: all tables, without the indexes that only readers need until the rows are there."""

from collections.abc import Sequence

from tarsy_timeline.database.migrations import migrate
from tarsy_timeline.database.single_connection import SingleConnection
from tarsy_timeline.database.sql import REBUILD


async def make_fresh_schema(connection: SingleConnection, schema: str) -> Sequence[str]:
    """Replaces what an earlier rebuild left behind. Returns the statements that make the indexes left out."""
    async with connection.transaction():
        await connection.execute(f'drop schema if exists "{schema}" cascade')
        await connection.execute(f'set local search_path = "{schema}"')
        await migrate(connection, schema)
        # Outside of the path, so that an index of an expression names its function with the schema.
        await connection.execute("set local search_path = pg_catalog")
        found = await connection.fetch(REBUILD["secondary_indexes"], schema)
        for row in found:
            await connection.execute(f'drop index "{schema}"."{row["indexname"]}"')
        await connection.execute(REBUILD["hold_search_queue"].format(fresh=schema))
    return [row["indexdef"] for row in found]


async def make_indexes(connection: SingleConnection, schema: str, statements: Sequence[str]) -> None:
    """And the statistics that the planner goes by. From then on sessions that change are queued for the search."""
    for statement in statements:
        await connection.execute(statement)
    async with connection.transaction():
        await connection.execute(REBUILD["fill_search_queue"].format(fresh=schema))
        await connection.execute(REBUILD["release_search_queue"].format(fresh=schema))
    tables = await connection.fetch(REBUILD["tables_of"], schema)
    for row in tables:
        await connection.execute(f'analyze "{schema}"."{row["tablename"]}"')
