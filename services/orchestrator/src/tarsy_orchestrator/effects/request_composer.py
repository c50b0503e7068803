"""Composer of requests to models: what an execution has said and read already is composed once."""

from tarsy_llm.recent_values import RecentValues
from tarsy_session.conversations.beginning import ConversationBeginning, extend_beginning
from tarsy_session.conversations.model_request import ModelRequest, compose_from
from tarsy_session.state import Execution, Investigating

MOST_CHARACTERS = 32 * 1024 * 1024
"""Limit of all beginnings that are kept. A beginning that is not kept is made as a whole."""


class RequestComposer:
    def __init__(self, most_characters: int = MOST_CHARACTERS) -> None:
        self._beginnings: RecentValues[str, ConversationBeginning] = RecentValues(most_characters)

    def compose(self, state: Investigating, execution: Execution) -> ModelRequest:
        """Returns what `compose_request` returns, whatever is kept."""
        beginning = extend_beginning(self._beginnings.get(execution.id), state, execution)
        self._beginnings.put(execution.id, beginning, beginning.size)
        return compose_from(beginning, state, execution)
