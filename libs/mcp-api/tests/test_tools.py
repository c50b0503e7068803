from typing import get_args

from tarsy_contracts.alert import PRIORITIES
from tarsy_contracts.timeline.model import SessionStatus
from tarsy_mcp_api.tools import Priority, Status


def test_the_schemas_have_all_words_of_the_contracts() -> None:
    assert get_args(Status) == get_args(SessionStatus.__value__)
    assert get_args(Priority) == PRIORITIES
