"""The events of the session log: what happened, in the past tense.

The table EVENTS names every type that this version knows. Types and fields are only ever added.
"""

from tarsy_contracts.events.approval import (
    APPROVE,
    DENY,
    ApprovalOutcome,
    StageApprovalsRequired,
    ToolCallApprovalDecided,
    ToolCallApprovalRequested,
)
from tarsy_contracts.events.budget import (
    CONCLUDE,
    EXTEND,
    BudgetDecided,
    BudgetEvent,
    BudgetOutcome,
    BudgetReached,
    BudgetWarned,
)
from tarsy_contracts.events.chat import (
    CANCEL_REPLY,
    CHAT,
    QuestionAsked,
    ReplyCompleted,
    SessionReopened,
)
from tarsy_contracts.events.execution import EndStatus
from tarsy_contracts.events.llm import (
    BUDGET,
    ENDED_BY_US,
    TIME_BUDGET,
    TOKEN_BUDGET,
    LlmCallCompleted,
    LlmCallFailed,
    LlmCallRequested,
    LlmPurpose,
    Shortening,
)
from tarsy_contracts.events.memory import (
    EDIT_MEMORY,
    FORGET_MEMORY,
    MemoryDeprecated,
    MemoryEdited,
    MemoryErased,
    MemoryLearned,
    MemoryReinforced,
)
from tarsy_contracts.events.phase import SCORE, PhaseCompleted, PhaseRequested
from tarsy_contracts.events.review import REVIEW, ReviewChanged
from tarsy_contracts.events.session import (
    CANCEL,
    DELETE,
    AlertRepeated,
    AlertResolved,
    RequestAccepted,
    RequestRefused,
    SessionCancelled,
    SessionCompleted,
    SessionDeleted,
    SessionFailed,
    SessionReleased,
    SessionSkillsRecorded,
    SessionStarted,
    SessionTimedOut,
)
from tarsy_contracts.events.stage import (
    ExecutionCompleted,
    ExecutionStarted,
    OfferedTool,
    ProviderFellBack,
    StageCompleted,
    StageStarted,
    StageToolsOffered,
    SubAgentTools,
)
from tarsy_contracts.events.summary import (
    SummaryAttempt,
    SummaryCompleted,
    SummaryFailed,
    SummaryReleased,
    SummaryRequested,
    SummaryStarted,
)
from tarsy_contracts.events.tool import (
    CallPurpose,
    Outcome,
    Piece,
    ReleaseReason,
    StoredResult,
    ToolCallCompleted,
    ToolCallOutcomeLearned,
    ToolCallReleased,
    ToolCallRequested,
    ToolCallStarted,
)

type Event = (
    SessionStarted
    | SessionSkillsRecorded
    | AlertRepeated
    | AlertResolved
    | StageStarted
    | StageToolsOffered
    | StageApprovalsRequired
    | ExecutionStarted
    | LlmCallRequested
    | LlmCallCompleted
    | LlmCallFailed
    | ProviderFellBack
    | ToolCallRequested
    | ToolCallApprovalRequested
    | ToolCallApprovalDecided
    | ToolCallStarted
    | ToolCallReleased
    | ToolCallCompleted
    | ToolCallOutcomeLearned
    | SummaryRequested
    | SummaryStarted
    | SummaryReleased
    | SummaryCompleted
    | SummaryFailed
    | ExecutionCompleted
    | StageCompleted
    | RequestAccepted
    | RequestRefused
    | SessionReleased
    | SessionCompleted
    | SessionFailed
    | SessionCancelled
    | SessionTimedOut
    | SessionReopened
    | QuestionAsked
    | ReplyCompleted
    | PhaseRequested
    | PhaseCompleted
    | SessionDeleted
    | BudgetWarned
    | BudgetReached
    | BudgetDecided
    | ReviewChanged
    | MemoryLearned
    | MemoryReinforced
    | MemoryDeprecated
    | MemoryEdited
    | MemoryErased
)

EVENTS: dict[str, type[Event]] = {kind.type: kind for kind in Event.__value__.__args__}

OPENERS = frozenset({SessionStarted.type, SessionReopened.type, PhaseRequested.type})
"""A life of a session begins."""
SESSION_ENDINGS = frozenset({SessionCompleted.type, SessionFailed.type, SessionCancelled.type, SessionTimedOut.type})
"""The investigation ends."""
ENDINGS = SESSION_ENDINGS | {ReplyCompleted.type, PhaseCompleted.type}
"""The session comes to rest."""
