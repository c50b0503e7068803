"""Request to a model, in nobody's dialect: what an execution asks, and asked, by the same code. Pure."""

from dataclasses import dataclass

from tarsy_contracts.chain import NativeTool
from tarsy_contracts.conversation import Conversation, ToolDefinition
from tarsy_contracts.request_digest import digest_request
from tarsy_session.conversation import build_conversation, is_last_answer, offered_tools
from tarsy_session.state import Execution, Investigating


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """All that a model is given. `is_last`: the conversation ends with this answer, and no tool may be called."""

    conversation: Conversation
    tools: tuple[ToolDefinition, ...] = ()
    native_tools: tuple[NativeTool, ...] = ()
    answer_tokens: int | None = None
    is_last: bool = False

    @property
    def digest(self) -> str:
        return digest_request(
            self.conversation,
            tools=self.tools,
            native_tools=self.native_tools,
            answer_tokens=self.answer_tokens,
            is_last=self.is_last,
        )


def compose_request(state: Investigating, execution: Execution) -> ModelRequest:
    """The request of the LLM call that the execution owes. It is the same until its answer, whatever comes meanwhile.

    So the record of a session is made by this function, too, from the state in which the call was owed.
    """
    return ModelRequest(
        conversation=build_conversation(state, execution),
        tools=offered_tools(execution),
        native_tools=execution.agent.native_tools,
        is_last=is_last_answer(execution),
    )
