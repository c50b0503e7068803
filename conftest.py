"""The fixtures that every member's tests share."""

pytest_plugins = ["tarsy_testing", "tarsy_workers"]
