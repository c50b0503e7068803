"""The fixtures that every member's tests share."""

pytest_plugins = [
    "tarsy_testing.logs",
    "tarsy_testing.programs",
    "tarsy_testing.servers.slack_server",
    "tarsy_testing.real_servers",
    "tarsy_testing.tiers",
    "tarsy_testing.servers.webhook",
    "tarsy_testing.workers",
]
