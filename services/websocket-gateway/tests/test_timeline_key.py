"""The gateway asks the timeline with its key, whatever it asks."""

import pytest

from tarsy_service.access.credentials import bearer
from tarsy_testing.servers.http_server import Quiet, serving
from tarsy_websocket_gateway.timeline.timeline_api import TimelineApi, TimelineUnavailableError


async def test_each_request_has_the_key() -> None:
    sent: list[str | None] = []

    class Timeline(Quiet):
        def _answer(self) -> None:
            sent.append(self.headers.get("Authorization"))
            self.send_error(503)

        do_GET = do_POST = _answer  # as http.server has it

    with serving(Timeline) as url:
        async with TimelineApi(url, bearer("k")).running() as timeline:
            for ask in (timeline.open_sessions(), timeline.last_events(()), timeline.histories(())):
                with pytest.raises(TimelineUnavailableError):
                    await ask
    assert sent == ["Bearer k"] * 3
