"""The public contract: events of `tarsy.events`, for other teams. It changes by its own rules.

Nothing in here is shared with the session log, whose events may change without a change here.
"""
