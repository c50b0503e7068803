import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

from tarsy_slack_server import SlackServer, slack_server
from tarsy_webhook import Webhook, webhook_server


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with slack_server() as one:
        yield one


@pytest.fixture
async def hook() -> AsyncIterator[Webhook]:
    async with webhook_server() as one:
        yield one
