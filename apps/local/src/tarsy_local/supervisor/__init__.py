"""Supervision of the processes that `tarsy up` starts: restarts with a budget, stops in order."""
