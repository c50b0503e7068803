"""Check of the configuration: every mistake of tarsy.yaml, and keys that do not do what somebody may expect."""

from collections.abc import AsyncIterator

from tarsy_cli.doctor.findings import CheckResult, NotCheckedError, failure, ok, warning
from tarsy_cli.doctor.setup import Setup
from tarsy_config.checks.keys import keys_are_set
from tarsy_config.config import Config
from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config
from tarsy_tool_gateway.masking import check_custom_patterns


async def check_configuration(setup: Setup) -> AsyncIterator[CheckResult]:
    try:
        config = load_config(setup.config_dir, setup.environ, also=(keys_are_set, check_custom_patterns))
    except InvalidConfigError as problem:
        for mistake in problem.mistakes:
            position = f"{mistake.file}:{mistake.line}" if mistake.line is not None else mistake.file
            yield failure(f"{position}: {mistake.path}: {mistake.problem}".replace(": : ", ": "), f"{mistake.remedy}.")
        return
    for note in config.notes:
        yield warning(str(note), "Run `tarsy config show` for what holds instead.")
    yield ok(f"The configuration in {setup.config_dir} has no mistakes.")


def require_config(setup: Setup) -> Config:
    """For other checks. Raises NotCheckedError when it cannot be read; keys that are missing do not hinder."""
    try:
        return load_config(setup.config_dir, setup.environ)
    except InvalidConfigError:
        raise NotCheckedError("The configuration has mistakes.", "Correct them first.") from None
