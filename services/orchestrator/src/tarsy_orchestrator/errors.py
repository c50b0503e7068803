"""The base of all exceptions of tarsy_orchestrator."""


class OrchestratorError(Exception):
    """A step of an investigation cannot be done as it was asked for."""
