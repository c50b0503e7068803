"""Views of the page that `make screenshots` takes: one line for each. A new view of `routes.js` is a line here."""

import re
from dataclasses import dataclass
from typing import Literal

type Scheme = Literal["light", "dark"]
type Moment = Literal["empty", "running", "asking", "acted", "ended", "login"]
"""When a view is taken: before the first alert, while three agents write, while an action waits for a yes and after it,
after the demo's incidents, and at a page that demands a login."""

WIDTHS = {1440: 900, 820: 900, 390: 844}
"""And the height of each."""
UNFINISHED = re.compile(r"(?:Loading|Connecting)[^\n]{0,40}…|Connection lost")
SHOWN_PIXELS = 260
BOTH: tuple[Scheme, ...] = ("light", "dark")
LIGHT: tuple[Scheme, ...] = ("light",)


@dataclass(frozen=True, slots=True)
class View:
    """`address`: `{completed}` in it is the id of the session in that state. `shown`: what is visible when it is drawn.

    `clicked`: what is clicked, one after the other, and `seen`: what is scrolled to, before the picture is taken.
    """

    name: str
    title: str
    address: str
    shown: str
    moment: Moment = "ended"
    schemes: tuple[Scheme, ...] = LIGHT
    clicked: tuple[str, ...] = ()
    seen: str = ""
    widths: tuple[int, ...] = tuple(WIDTHS)


@dataclass(frozen=True, slots=True)
class Picture:
    view: View
    width: int
    scheme: Scheme

    @property
    def file(self) -> str:
        dark = "-dark" if self.scheme == "dark" else ""
        return f"{self.view.name}-{self.width}{dark}.png"


STREAMING = '.item[data-status="streaming"] .text:not(:empty)'
CALL = 'details.call:has-text("kubernetes.pods_list")'
LOG = 'details.call:has-text("pods_log")'
DRY_RUN = ".approval .dry-run"
EXTENSION = ".body.budget .deciding"
SKILLS = '.item[data-type="skill_loaded"]'
QUESTION = ".record-call summary >> nth=1"
VIEWS = (
    View("list-empty", "The list before the first alert", "/", "main pre", "empty"),
    View("session-running", "A session that runs", "/sessions/{running}", STREAMING, "running"),
    View("list", "The list", "/", ".listed", schemes=BOTH),
    View("session-completed", "A session that has completed", "/sessions/{completed}", ".executive", schemes=BOTH),
    View("session-failed", "A session that failed", "/sessions/{failed}", ".stopped"),
    View("approval", "A call that waits for a person", "/sessions/{waiting}", ".approval", seen=".approval"),
    View(
        "dry-run",
        "An action that waits, with its dry run",
        "/sessions/{wide}",
        DRY_RUN,
        "asking",
        BOTH,
        seen=".approval",
    ),
    View("sub-agents", "Sub-agents beside each other", "/sessions/{wide}", ".lanes", "acted", BOTH, seen=".lane .task"),
    View(
        "waterfall",
        "Where the time went",
        "/sessions/{wide}",
        ".waterfall svg",
        "acted",
        BOTH,
        (),
        ".waterfall svg",
        (1440,),
    ),  # narrow ones have it folded
    View("wide", "A session with sub-agents and an action", "/sessions/{wide}", ".executive", "acted", BOTH),
    View(
        "action",
        "An action, and whether it helped",
        "/sessions/{wide}",
        ".action-calls",
        "acted",
        BOTH,
        seen=".action-outcome",
    ),
    View(
        "skills",
        "The skills of an agent, unfolded",
        "/sessions/{wide}",
        SKILLS,
        "acted",
        BOTH,
        clicked=(f"{SKILLS} summary >> nth=0", f"{SKILLS} details details summary >> nth=0"),
        seen=SKILLS,
    ),
    View("tool-call", "A call, unfolded", "/sessions/{completed}", CALL, clicked=(f"{CALL} >> summary",), seen=CALL),
    View(
        "result",
        "A whole result beside the timeline",
        "/sessions/{completed}",
        LOG,
        clicked=(f"{LOG} >> summary", f"{LOG} >> .to-result a"),
        seen="dialog .result-line",
    ),
    View(
        "record",
        "The record of what the model was given",
        "/sessions/{completed}/record",
        QUESTION,
        clicked=(QUESTION,),
        seen=".record-call[open] .message >> nth=0",
    ),
    View("travel", "The session as it was", "/sessions/{completed}?at=40", ".travel-bar strong"),
    View("chat", "Questions and replies", "/sessions/{completed}", ".turn strong", seen=".turn >> nth=-1"),
    View("submit", "The form that submits an alert", "/submit", "main form"),
    View("budget", "A budget that waits for a person", "/sessions/{spent}", EXTENSION, schemes=BOTH, seen=EXTENSION),
    View("usage", "Budgets, success, durations, tokens and cost", "/usage", "figure.chart", schemes=BOTH),
    View("review", "The board of reviews", "/review", ".board .card", schemes=BOTH),
    View("memories", "The lessons of investigations", "/memories", "main h1"),
    View("system", "The system", "/system", "main table"),
    View(
        "servers",
        "The MCP servers",
        "/system?part=servers",
        "main h2",
        clicked=('summary:has-text("tools") >> nth=-1',),
    ),
    View("held", "Held sessions", "/system?part=held", "main h1"),
    View("dead-letters", "Dead letters", "/system?part=dead-letters", "main h1"),
    View("configuration", "The configuration that holds", "/system?part=configuration", "main details"),
    View("versions", "Versions", "/system?part=versions", "main table"),
    View("login", "The login", "/", ".notice", "login"),
)


def pictures(moment: Moment, schemes: tuple[Scheme, ...] | None = None) -> list[Picture]:
    """`schemes`: those of all views; without them each has its own."""
    return [
        Picture(view, width, scheme)
        for view in VIEWS
        if view.moment == moment
        for scheme in schemes or view.schemes
        for width in view.widths
    ]


def unfinished_words(text: str) -> list[str]:
    """Words of a page that no picture may show: it loads yet, or has lost its connection."""
    return UNFINISHED.findall(text)


def page_of_pictures() -> str:
    """`docs/pictures/README.md`: each view with its pictures."""
    heads = " | ".join(f"{width} pixels" for width in WIDTHS)
    lines = [
        "# Every view of the page",
        "",
        "`make screenshots` took them of a TARSy that ran, and made this page ([a tour](../tour.md) of them).",
        "",
        f"| View | {heads} |",
        f"| --- | {' | '.join('---' for _ in WIDTHS)} |",
    ]
    for view in VIEWS:
        for scheme in view.schemes:
            title = view.title if scheme == "light" else f"{view.title}, dark"
            files = [Picture(view, width, scheme).file for width in view.widths]
            shown = [f'<a href="{file}"><img src="{file}" width="{SHOWN_PIXELS}" alt="{title}"></a>' for file in files]
            missing = [""] * (len(WIDTHS) - len(shown))
            lines.append(f"| {title} | {' | '.join([*shown, *missing])} |")
    return "\n".join([*lines, ""])
