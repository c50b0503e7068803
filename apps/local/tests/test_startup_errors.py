"""The words for what went wrong at a start."""

from pathlib import Path

from tarsy_bus.topics.topics_admin import WrongTopicsError
from tarsy_embedded.errors import NoJavaError
from tarsy_local.startup_errors import sentences
from tarsy_processes.errors import PortTakenError

LOG = Path("/home/.tarsy/tarsy.log")


def test_the_same_reason_of_several_services_is_said_once_with_the_place_of_the_log() -> None:
    group = ExceptionGroup(
        "",
        [
            WrongTopicsError("tarsy.inbox has 1 partition"),
            ExceptionGroup("", [WrongTopicsError("tarsy.inbox has 1 partition")]),
        ],
    )
    assert sentences(group, LOG) == f"tarsy.inbox has 1 partition ({LOG} has more)"


def test_a_taken_port_names_the_options() -> None:
    assert sentences(PortTakenError(8080, "the HTTP server"), LOG).endswith(
        "--http-port, --kafka-port and --database-port."
    )


def test_what_is_written_for_people_is_said_as_it_is() -> None:
    assert sentences(NoJavaError(), LOG) == str(NoJavaError())


def test_what_nobody_foresaw_names_the_log() -> None:
    said = sentences(ExceptionGroup("", [KeyError("x")]), LOG)
    assert "KeyError" in said
    assert str(LOG) in said
