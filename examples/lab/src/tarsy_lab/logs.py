"""Writes the long log of an incident from its story: `python -m tarsy_lab.logs INCIDENT_DIR`.

The story (logs/story.yaml) names the seed, the length and the lines that matter; everything between them is noise.
The same story gives the same bytes on every machine, so the log in the repository can be read, changed and made again.
"""

import gzip
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

import yaml
from pydantic import AwareDatetime, BaseModel, ConfigDict

from tarsy_lab.noise import Dice, Noise
from tarsy_lab.voices import VOICES


class Scene(BaseModel):
    """Lines that stand at a chosen place; `wait_seconds` passes before them (a crashed container rests).

    They come `times` often, each time `every` lines further down.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    at: int
    wait_seconds: int = 0
    times: int = 1
    every: int = 0
    lines: tuple[str, ...]
    verbatim: bool = False


class Story(BaseModel):
    """`klog` is the form of Kubernetes' own programs: a line begins with its level's letter, and the stamp follows."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    log: str
    voice: Literal["checkout", "stock-reindex", "cert-manager", "fulfilment-db"]
    stamps: Literal["iso", "klog"] = "iso"
    seed: int
    lines: int
    starts_at: AwareDatetime
    mean_gap_ms: int
    scenes: tuple[Scene, ...]

    def positions(self) -> list[tuple[int, Scene]]:
        """At which line each scene stands, in order."""
        found = [(scene.at + n * scene.every, scene) for scene in self.scenes for n in range(scene.times)]
        return sorted(found, key=lambda place: place[0])


def read_story(incident: Path) -> Story:
    return Story.model_validate(yaml.safe_load((incident / "logs" / "story.yaml").read_text(encoding="utf-8")))


def log_lines(story: Story) -> Iterator[str]:
    dice = Dice(story.seed)
    noise = Noise(VOICES[story.voice], dice)
    scenes = dict(story.positions())
    now = story.starts_at
    number = 1
    while number <= story.lines:
        scene = scenes.get(number)
        if scene is not None:
            now += timedelta(seconds=scene.wait_seconds)
        for text in scene.lines if scene is not None else (noise.line(),):
            now += timedelta(milliseconds=1 + dice.below(2 * story.mean_gap_ms))
            yield text if scene is not None and scene.verbatim else _stamped(story, now, text)
            number += 1


def log_bytes(story: Story) -> bytes:
    return "".join(f"{line}\n" for line in log_lines(story)).encode()


def _stamped(story: Story, moment: datetime, text: str) -> str:
    if story.stamps == "klog":
        level, _, rest = text.partition(" ")
        return f"{level}{moment:%m%d %H:%M:%S.%f}       1 {rest}"
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z {text}"


def main() -> None:
    incident = Path(sys.argv[1])
    story = read_story(incident)
    packed = gzip.compress(log_bytes(story), compresslevel=9, mtime=0)
    (incident / "logs" / f"{story.log}.gz").write_bytes(packed)


if __name__ == "__main__":
    main()
