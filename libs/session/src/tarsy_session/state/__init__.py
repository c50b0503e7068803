"""State of a session, as its events have made it."""

from tarsy_session.state.alerts import AlertNews, Alerts
from tarsy_session.state.budgets import NO_BUDGETS, UNMET, Budgets, BudgetState
from tarsy_session.state.calls import Approval, Claim, Learned, Summary, ToolCallState, deadline_after
from tarsy_session.state.executions import INVESTIGATION, Execution, PendingLlmCall, RetryState, Stage, Turn
from tarsy_session.state.reviews import Review
from tarsy_session.state.sessions import (
    NO_INPUT,
    NOT_STARTED,
    REFUSALS_KEPT,
    REPLY,
    Answered,
    AtRest,
    Cancelled,
    Ending,
    Investigating,
    Life,
    NotStarted,
    PhaseRun,
    Question,
    SessionState,
    Unsupported,
)
