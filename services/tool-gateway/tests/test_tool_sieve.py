"""Names and schemas of tools are hostile input: one wrong tool costs one tool, never its server."""

from pathlib import Path

from connections import connected, odd, said
from gateway_owner import call

from tarsy_tool_gateway.mcp.tool_sieve import MOST_NAMED


async def test_wrong_tools_are_left_out_and_the_others_can_be_called(calls_file: Path) -> None:
    async with connected(odd(calls_file, "hostile")) as connection:
        await connection.wait_ready(90)
        assert set(connection.tools) == {"sound", "n" * 128}
        assert (await said(connection, call("sound"))).outcome == "ok"
        refused = connection.refused
    assert refused.count == 12
    assert len(refused.named) == MOST_NAMED
    assert "(no name)" in refused.named
    # What is shown of a name has neither lines nor unseen signs.
    assert all(name.isascii() and name.isprintable() and len(name) <= 102 for name in refused.named)
