"""The schema that a test had is dropped, whatever the test left open."""

import asyncpg
import pytest

from tarsy_testing.real_servers import drop_schema


async def test_a_transaction_that_was_left_open_is_ended_and_said(database_url: str) -> None:
    left = await asyncpg.connect(database_url)
    await left.execute("create schema left_open; create table left_open.rows (id int)")
    await left.execute("begin; insert into left_open.rows values (1)")

    with pytest.raises(pytest.fail.Exception, match="transaction open in the schema left_open"):
        await drop_schema(database_url, "left_open", seconds=0.1)

    looking = await asyncpg.connect(database_url)
    assert await looking.fetchval("select to_regnamespace('left_open')") is None
    await looking.close()
    left.terminate()
