"""What a test configured in its process is gone for the next: their order in a worker is the machine's affair."""

import logging

import pytest
import structlog

from tarsy_service.telemetry.logs import configure_logs

log = structlog.get_logger(__name__)
library = logging.getLogger("aiokafka")


@pytest.mark.parametrize("turn", ["first", "second"])
def test_a_line_is_seen_after_a_command_that_switched_lines_off(turn: str, capsys: pytest.CaptureFixture[str]) -> None:
    log.warning(f"{turn}.line")
    assert f"{turn}.line" in capsys.readouterr().out
    assert library.isEnabledFor(logging.INFO) == logging.getLogger().isEnabledFor(logging.INFO)
    configure_logs("CRITICAL", logging.NullHandler())
    log.warning("no line")
    library.warning("no line")
    assert capsys.readouterr().out == ""
