"""The fixtures that every member's tests share."""

pytest_plugins = [
    "tarsy_logs",
    "tarsy_programs",
    "tarsy_slack_server",
    "tarsy_testing",
    "tarsy_tiers",
    "tarsy_webhook",
    "tarsy_workers",
]
