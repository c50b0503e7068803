"""Writes the long log of an incident from its story: `python -m tarsy_lab.logs INCIDENT_DIR`.

The story (logs/story.yaml) names the seed, the length and the lines that matter; everything between them is noise.
The same story gives the same bytes on every machine, so the log in the repository can be read, changed and made again.
"""

import gzip
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import yaml
from pydantic import AwareDatetime, BaseModel, ConfigDict

from tarsy_lab.noise import Dice, Noise


class Scene(BaseModel):
    """Lines that stand at a chosen place; `wait_seconds` passes before them (a crashed container rests)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    at: int
    wait_seconds: int = 0
    lines: tuple[str, ...]
    verbatim: bool = False


class Story(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    log: str
    seed: int
    lines: int
    starts_at: AwareDatetime
    mean_gap_ms: int
    scenes: tuple[Scene, ...]


def read_story(incident: Path) -> Story:
    return Story.model_validate(yaml.safe_load((incident / "logs" / "story.yaml").read_text(encoding="utf-8")))


def log_lines(story: Story) -> Iterator[str]:
    dice = Dice(story.seed)
    noise = Noise(dice)
    scenes = {scene.at: scene for scene in story.scenes}
    now = story.starts_at
    number = 1
    while number <= story.lines:
        scene = scenes.get(number)
        if scene is not None:
            now += timedelta(seconds=scene.wait_seconds)
        for text in scene.lines if scene is not None else (noise.line(),):
            now += timedelta(milliseconds=1 + dice.below(2 * story.mean_gap_ms))
            yield text if scene is not None and scene.verbatim else f"{_stamp(now)} {text}"
            number += 1


def log_bytes(story: Story) -> bytes:
    return "".join(f"{line}\n" for line in log_lines(story)).encode()


def _stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def main() -> None:
    incident = Path(sys.argv[1])
    story = read_story(incident)
    packed = gzip.compress(log_bytes(story), compresslevel=9, mtime=0)
    (incident / "logs" / f"{story.log}.gz").write_bytes(packed)


if __name__ == "__main__":
    main()
