"""Request to a model, in nobody's dialect: what an execution asks, and asked, by the same code. Pure."""

from dataclasses import dataclass, field

from tarsy_contracts.chain import NativeTool
from tarsy_contracts.conversation import Conversation, ToolDefinition
from tarsy_contracts.request_digest import ConversationDigest, digest_conversation
from tarsy_session.conversations.beginning import ConversationBeginning, extend_beginning
from tarsy_session.conversations.conversation import is_last_answer, last_words, list_offered_tools
from tarsy_session.state import Execution, Investigating


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """All that a model is given. `is_last`: the conversation ends with this answer, and no tool may be called.

    `native_tools`: those wanted, of which the provider's adapter sends what the model has. `conversation_digest` is
    that of `conversation`, where it is known already.
    """

    conversation: Conversation
    tools: tuple[ToolDefinition, ...] = ()
    native_tools: tuple[NativeTool, ...] = ()
    answer_tokens: int | None = None
    is_last: bool = False
    conversation_digest: ConversationDigest | None = field(default=None, repr=False, compare=False)

    @property
    def digest(self) -> str:
        beginning = self.conversation_digest or digest_conversation(self.conversation)
        return beginning.of_request(
            tools=self.tools,
            native_tools=self.native_tools,
            answer_tokens=self.answer_tokens,
            is_last=self.is_last,
        )


def compose_request(state: Investigating, execution: Execution) -> ModelRequest:
    """The request of the LLM call that the execution owes. It is the same until its answer, whatever comes meanwhile.

    So the record of a session is made by this function, too, from the state in which the call was owed.
    """
    return compose_from(extend_beginning(None, state, execution), state, execution)


def compose_from(beginning: ConversationBeginning, state: Investigating, execution: Execution) -> ModelRequest:
    """The same. `beginning` is that of this state (`continue_beginning`)."""
    last = tuple(last_words(state, execution))
    bare = Conversation(system=beginning.system, messages=())
    return ModelRequest(
        # Each message was validated when it was made: a copy does not look at all of them again.
        conversation=bare.model_copy(update={"messages": beginning.messages + last}),
        conversation_digest=beginning.digest.extend(last),
        tools=list_offered_tools(execution),
        native_tools=execution.agent.native_tools + execution.agent.lacking_native_tools,
        is_last=is_last_answer(execution),
    )
