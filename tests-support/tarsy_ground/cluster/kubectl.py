"""kubectl and other commands, run where the node is."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tarsy_ground.sandbox import Sandbox

SECONDS = 300.0


class CommandError(Exception):
    """A command has ended with another code than 0."""


@dataclass(frozen=True, slots=True)
class Kubectl:
    program: Path
    kubeconfig: Path
    sandbox: Sandbox

    @property
    def environment(self) -> Mapping[str, str]:
        return {**os.environ, "KUBECONFIG": str(self.kubeconfig)}

    def run(self, *arguments: str) -> str:
        return self.command(str(self.program), *arguments)

    def try_run(self, *arguments: str) -> str | None:
        """None where it fails."""
        try:
            return self.run(*arguments)
        except CommandError:
            return None

    def apply(self, manifest: str, *options: str) -> str:
        return self.command(str(self.program), "apply", "--filename=-", *options, input=manifest)

    def delete(self, manifest: str, *options: str) -> str:
        return self.command(str(self.program), "delete", "--filename=-", "--ignore-not-found", *options, input=manifest)

    def command(self, *command: str, seconds: float = SECONDS, input: str = "") -> str:
        """Its output. Raises CommandError."""
        done = subprocess.run(
            self.sandbox.client_command(*command), env=self.environment, text=True, cwd="/", input=input,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, check=False,
        )  # fmt: skip
        if done.returncode != 0:
            raise CommandError(f"{' '.join(command)} ended with {done.returncode}: {done.stdout[-4_000:]}")
        return done.stdout

    @contextmanager
    def background(self, *command: str) -> Iterator[subprocess.Popen[str]]:
        process = subprocess.Popen(
            self.sandbox.client_command(*command), env=self.environment, text=True, cwd="/",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            yield process
        finally:
            process.terminate()
            process.communicate(timeout=SECONDS)
