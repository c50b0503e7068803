"""The events of `tarsy.events`. The table PUBLIC_EVENTS names every type. Types and fields are only ever added."""

from tarsy_contracts.public.budget_events import PublicBudgetDecided, PublicBudgetReached, PublicBudgetWarned
from tarsy_contracts.public.call_events import (
    PublicLlmCallCompleted,
    PublicLlmCallFailed,
    PublicSummaryCompleted,
    PublicSummaryFailed,
    PublicToolCallApprovalDecided,
    PublicToolCallApprovalRequested,
    PublicToolCallCompleted,
    PublicToolCallOutcomeLearned,
    PublicToolCallRequested,
    PublicToolCallStarted,
)
from tarsy_contracts.public.chat_events import PublicChatAnswered, PublicChatAsked
from tarsy_contracts.public.memory_events import (
    PublicMemoryDeprecated,
    PublicMemoryEdited,
    PublicMemoryErased,
    PublicMemoryLearned,
    PublicMemoryReinforced,
)
from tarsy_contracts.public.model import PublicEvent
from tarsy_contracts.public.phase_events import PublicPhaseCompleted, PublicPhaseRequested
from tarsy_contracts.public.review_events import PublicReviewChanged
from tarsy_contracts.public.session_events import (
    PublicAlertRepeated,
    PublicAlertResolved,
    PublicSessionCancelled,
    PublicSessionCompleted,
    PublicSessionDeleted,
    PublicSessionFailed,
    PublicSessionReopened,
    PublicSessionStarted,
    PublicSessionTimedOut,
)
from tarsy_contracts.public.stage_events import (
    PublicExecutionCompleted,
    PublicExecutionFellBack,
    PublicExecutionStarted,
    PublicStageCompleted,
    PublicStageStarted,
)

PUBLIC_EVENTS: dict[str, type[PublicEvent]] = {
    kind.type: kind
    for kind in (
        PublicSessionStarted,
        PublicSessionCompleted,
        PublicSessionFailed,
        PublicSessionCancelled,
        PublicSessionTimedOut,
        PublicSessionReopened,
        PublicSessionDeleted,
        PublicAlertRepeated,
        PublicAlertResolved,
        PublicStageStarted,
        PublicStageCompleted,
        PublicExecutionStarted,
        PublicExecutionFellBack,
        PublicExecutionCompleted,
        PublicLlmCallCompleted,
        PublicLlmCallFailed,
        PublicToolCallRequested,
        PublicToolCallApprovalRequested,
        PublicToolCallApprovalDecided,
        PublicToolCallStarted,
        PublicToolCallCompleted,
        PublicToolCallOutcomeLearned,
        PublicSummaryCompleted,
        PublicSummaryFailed,
        PublicChatAsked,
        PublicChatAnswered,
        PublicPhaseRequested,
        PublicPhaseCompleted,
        PublicBudgetWarned,
        PublicBudgetReached,
        PublicBudgetDecided,
        PublicReviewChanged,
        PublicMemoryLearned,
        PublicMemoryReinforced,
        PublicMemoryDeprecated,
        PublicMemoryEdited,
        PublicMemoryErased,
    )
}
