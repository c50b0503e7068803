"""Checksums of the tables: two projections of one log at the same positions have the same."""

from tarsy_timeline.database import sql
from tarsy_timeline.database.migrations import AnyConnection

OF_NO_LOG = frozenset({"search_queue", "deleted_labels", "digests"})
"""Tables whose rows say nothing of a projection: they go a while later, or say who was sent what."""


async def table_checksums(connection: AnyConnection, schema: str) -> dict[str, tuple[int, str]]:
    """Rows and checksum of each table, whatever the order of rows and columns; all of one moment.

    Those of `search_texts` are of what the index has by then.
    """
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        await connection.execute("set local timezone = 'UTC'")
        found = {}
        for table in sorted(sql.tables() - OF_NO_LOG):
            row = await connection.fetchrow(sql.REBUILD["table_checksum"].format(live=schema, table=table))
            found[table] = (row["rows"], row["checksum"]) if row is not None else (0, "")
    return found
