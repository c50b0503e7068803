"""The base of all exceptions of tarsy_processes, and a port that is taken."""


class ProcessError(Exception):
    """A server could not be started or went away. The operator does what the message says."""

    @property
    def summary(self) -> str:
        """The message in one line."""
        return str(self).partition("\n")[0]


class PortTakenError(ProcessError):
    def __init__(self, port: int, server: str) -> None:
        super().__init__(
            f"Port {port}, on which {server} should listen, is taken by another program: "
            f"stop that program, or choose another port for {server}."
        )


class AddressUnusableError(ProcessError):
    def __init__(self, host: str, port: int, server: str, reason: str) -> None:
        super().__init__(
            f"{server} cannot listen on port {port} of {host} ({reason}): choose an address of this machine, and "
            "a port that you may use."
        )
