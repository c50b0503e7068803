"""A reply, as programs get it (`tarsy chat --json`)."""

from pydantic import BaseModel, ConfigDict

REFUSED = "refused"


class Reply(BaseModel):
    """A question and what came of it. `status`: how its stage ended; or `refused`, and then it has no ids.

    `author`: who asked. `answer_cut`: the answer is longer than what is shown of it at once.
    """

    model_config = ConfigDict(frozen=True)

    session_id: str
    chat_id: str | None = None
    message_id: str | None = None
    stage_id: str | None = None
    author: str | None = None
    question: str
    status: str
    answer: str | None = None
    answer_cut: bool = False
    error: str | None = None

    @property
    def completed(self) -> bool:
        return self.status == "completed"
