"""What a feed of notifications is told of the configuration."""

import pytest

from tarsy_config.config import Config
from tarsy_notifier.receivers import plans_of

RECEIVERS = {"ops": {"type": "webhook", "url": "https://ops.example/hook", "format": "cloudevents"}}


@pytest.mark.parametrize(
    ("dashboard_url", "base_path", "page"),
    [
        ("https://tarsy.example", "", "https://tarsy.example"),
        ("https://ops.example", "/tarsy", "https://ops.example/tarsy"),
        ("https://ops.example/tarsy", "/tarsy", "https://ops.example/tarsy"),
        ("https://ops.example/tarsy/", "/tarsy", "https://ops.example/tarsy"),
        ("https://ops.example/another/proxy", "/tarsy", "https://ops.example/another/proxy"),
        ("", "/tarsy", ""),
    ],
)
def test_links_lead_below_the_base_path(dashboard_url: str, base_path: str, page: str) -> None:
    config = Config.model_validate({"system": {"dashboard_url": dashboard_url}, "notifications": RECEIVERS})
    assert [plan.dashboard_url for plan in plans_of(config, {}, base_path).values()] == [page]
