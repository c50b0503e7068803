"""The log of a question and its reply, as a list: what readers of it are tested with, without an orchestrator.

It goes on where an investigation came to rest. The reply looks once more, and says what it found.
"""

from dataclasses import dataclass

from tarsy_contracts import events as e
from tarsy_contracts.conversation import Usage
from tarsy_contracts.events.heads import Span
from tarsy_contracts.wire.ids import chat_id, execution_id, llm_call_id, message_id, reply_stage_id, tool_call_id

CHAT = "Chat"
AGENT = "ChatAgent"


@dataclass(frozen=True)
class Exchange:
    """A question, and what follows from it. `number` counts the questions; `stage` the stages of the session."""

    session: str
    number: int = 1
    stage: int = 2
    author: str = "ann"
    content: str = "Since when?"
    answer: str = "Since **03:00**."

    @property
    def request_id(self) -> str:
        return f"question {self.number} of {self.session}"

    @property
    def message_id(self) -> str:
        return message_id(self.session, self.request_id)

    @property
    def stage_id(self) -> str:
        return reply_stage_id(self.message_id)

    @property
    def execution_id(self) -> str:
        return execution_id(self.stage_id, 1)

    def llm_call_id(self, iteration: int) -> str:
        return llm_call_id(self.execution_id, iteration, 1)

    @property
    def call_id(self) -> str:
        return tool_call_id(self.llm_call_id(1), 0)

    def begun(self) -> list[e.Event]:
        """Up to the question to the model: six events."""
        return [*self.asked(), self._agent(), self._question(1)]

    def asked(self) -> list[e.Event]:
        """One decision: the session is open again, and the stage of the reply begins."""
        return [
            e.SessionReopened(request_id=self.request_id, spans=(Span(first=0, last=1),)),
            e.RequestAccepted(request_id=self.request_id, request=e.CHAT, author=self.author),
            e.QuestionAsked(
                request_id=self.request_id, chat_id=chat_id(self.session), message_id=self.message_id,
                stage_id=self.stage_id, number=self.number, author=self.author, content=self.content,
            ),
            e.StageStarted(
                stage_id=self.stage_id, index=self.stage, name=CHAT, stage_type="chat", chain_stage=None
            ),
        ]  # fmt: skip

    def looked(self) -> list[e.Event]:
        """The model thinks, and asks a tool, which answers. The model is asked again."""
        return [
            self._said(1, "", thinking="I look at the restarts."),
            e.ToolCallRequested(
                call_id=self.call_id, execution_id=self.execution_id, llm_call_id=self.llm_call_id(1), server="k8s",
                tool="events", arguments={"namespace": "shop"}, repeatable=True, timeout_seconds=60,
            ),
            e.ToolCallStarted(call_id=self.call_id, claim_id="c1", worker_id="w1"),
            e.ToolCallCompleted(call_id=self.call_id, outcome="ok", content="03:00 restarted", size=15, lines=1),
            self._question(2),
        ]  # fmt: skip

    def answered(self) -> list[e.Event]:
        """With the last of these four events the session rests again."""
        return [self._said(2, self.answer), *self._ended("completed")]

    def ended(self, status: e.EndStatus, error: str) -> list[e.Event]:
        """It came to nothing."""
        return self._ended(status, error)

    def whole(self) -> list[e.Event]:
        return [*self.begun(), *self.looked(), *self.answered()]

    def _agent(self) -> e.ExecutionStarted:
        return e.ExecutionStarted(
            execution_id=self.execution_id, stage_id=self.stage_id, agent=AGENT, index=1, system="", prompt="",
            tools=(), llm_provider="scripted", max_iterations=20,
        )  # fmt: skip

    def _question(self, iteration: int) -> e.LlmCallRequested:
        return e.LlmCallRequested(
            llm_call_id=self.llm_call_id(iteration), execution_id=self.execution_id, iteration=iteration, attempt=1,
            purpose="iteration",
        )  # fmt: skip

    def _said(self, iteration: int, text: str, *, thinking: str = "") -> e.LlmCallCompleted:
        return e.LlmCallCompleted(
            llm_call_id=self.llm_call_id(iteration), execution_id=self.execution_id, thinking=thinking, text=text,
            tool_calls=(), usage=Usage(input_tokens=10, output_tokens=2), model="m1", duration_ms=5,
        )  # fmt: skip

    def _ended(self, status: e.EndStatus, error: str = "") -> list[e.Event]:
        analysis = self.answer if status == "completed" else ""
        return [
            e.ExecutionCompleted(
                execution_id=self.execution_id, stage_id=self.stage_id, agent=AGENT, index=1, status=status,
                final_analysis=analysis, error=error, iterations=2, stage_type="chat",
            ),
            e.StageCompleted(stage_id=self.stage_id, index=self.stage, name=CHAT, status=status, error=error),
            e.ReplyCompleted(message_id=self.message_id, stage_id=self.stage_id, status=status, error=error),
        ]  # fmt: skip
