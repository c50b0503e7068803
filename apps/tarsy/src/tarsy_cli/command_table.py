"""The table of commands: where each is, and the line that the list of commands has of it.

A command is imported when it is wanted: the list, and the help of any one, come without the clients of the others.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A function of a module below `tarsy_cli`. `summary` is the first sentence of what the function says of itself."""

    module: str
    function: str
    summary: str


@dataclass(frozen=True, slots=True)
class CommandGroup:
    """Commands under one name. `otherwise`: the one that is meant where none of them is named."""

    summary: str
    commands: Mapping[str, CommandEntry]
    otherwise: str = ""


type Entry = CommandEntry | CommandGroup

TOPICS = CommandGroup(
    "The topics in Kafka.",
    {
        "apply": CommandEntry("topic_commands", "apply", "Make the topics that are missing, and check the others."),
        "show": CommandEntry("kafka.commands", "show", "Print the topics as `tarsy topics apply` would make them."),
        "acls": CommandEntry(
            "kafka.commands", "acls", "Print the least rights on Kafka of each service, and of others."
        ),
        "msk-token": CommandEntry(
            "kafka.msk_token",
            "msk_token",
            "Print a token for Amazon MSK with IAM, as TARSY_KAFKA_TOKEN_COMMAND wants it.",
        ),
    },
)
ACTIONS = CommandGroup(
    "The switch that holds all calls of tools that change something.",
    {
        "show": CommandEntry("action_commands", "show", "Tell whether actions are paused, and who said so."),
        "pause": CommandEntry(
            "action_commands", "pause", "Pause all actions: no call that changes something begins any more."
        ),
        "resume": CommandEntry("action_commands", "resume", "Let actions go on."),
    },
    otherwise="show",
)
HEADS = CommandGroup(
    "The heads in Kafka: where sessions open and rest on the session log.",
    {
        "rebuild": CommandEntry(
            "heads_commands",
            "rebuild",
            "Make the heads of a partition from its session log, where somebody wrote others.",
        ),
    },
)
DATABASE = CommandGroup(
    "The tables in PostgreSQL.",
    {
        "migrate": CommandEntry("database_commands", "migrate", "Make or migrate the tables of the timeline."),
    },
)
TIMELINE = CommandGroup(
    "The tables of the timeline, as a view of the session log.",
    {
        "rebuild": CommandEntry(
            "timeline_commands",
            "rebuild",
            "Build all tables anew from the session log, beside the live ones, and switch to them.",
        ),
        "checksums": CommandEntry(
            "timeline_commands",
            "checksums",
            "Show rows and a checksum of each table: two projections of one log have the same, wherever they are.",
        ),
    },
)
HELD = CommandGroup(
    "Sessions that are set aside; `tarsy held` alone lists them.",
    {
        "list": CommandEntry("held_commands", "list_held", "List the sessions that are set aside, and why."),
        "release": CommandEntry(
            "held_commands",
            "release",
            "Bring sessions back, with the inputs that wait for them, such as after an upgrade.",
        ),
        "retry": CommandEntry("held_commands", "retry", "Decide the inputs that wait once more."),
        "fail": CommandEntry("held_commands", "end", "End sessions as failed."),
    },
    otherwise="list",
)
DEAD_LETTERS = CommandGroup(
    "Records that could not be read, and what becomes of them.",
    {
        "list": CommandEntry(
            "dead_letters.commands",
            "list_letters",
            "List records that could not be read: who buried them and why, when they came, and whether they were "
            "re-driven.",
        ),
        "show": CommandEntry(
            "dead_letters.commands",
            "show",
            "Show a dead letter, with a masked beginning of its record: a stranger wrote it.",
        ),
        "redrive": CommandEntry(
            "dead_letters.commands",
            "redrive",
            "Write dead letters back to where they came from, with their identity.",
        ),
    },
)
LAB = CommandGroup(
    "Recorded incidents, to try TARSy on.",
    {
        "list": CommandEntry(
            "lab.commands",
            "list_incidents",
            "List the incidents of the lab: what each shows, and which alert begins it.",
        ),
        "run": CommandEntry(
            "lab.commands",
            "investigate_incident",
            "Send an incident's alert, as if it fired now, watch the investigation, and ask it a question.",
        ),
    },
)
CONFIG = CommandGroup(
    "The configuration: whether it is right, and what follows from it.",
    {
        "check": CommandEntry(
            "config.commands",
            "check",
            "Say every mistake of a configuration, with its line and what would be right, or what it has.",
        ),
        "show": CommandEntry(
            "config.commands",
            "show",
            "Show the plan for each alert type: the value of every setting, and where it comes from.",
        ),
        "route": CommandEntry("config.route", "route", "Say which chain investigates an alert, and by which rule."),
    },
)
KEYS = CommandGroup(
    "API keys, and the file that says who may do what.",
    {
        "new": CommandEntry(
            "keys.commands", "new", "Make an API key: print it, once, and its entry for auth.yaml beneath."
        ),
        "check": CommandEntry(
            "keys.commands",
            "check",
            "Say every mistake of an auth.yaml, or list its keys: names, roles, and which have expired.",
        ),
    },
)
SERVERS = CommandGroup(
    "The MCP servers; `tarsy servers` alone, or with the name of one, shows them.",
    {
        "show": CommandEntry(
            "server_commands",
            "servers",
            "List the MCP servers as the tool gateways see them, and what is wrong with them.",
        ),
        "add": CommandEntry(
            "servers.add_command",
            "add",
            "Write the MCP server of a system into tarsy.yaml, or list the systems that the cookbook has.",
        ),
        "login": CommandEntry("logins.command", "login", "Log in at an MCP server, once, for all tool gateways."),
        "logout": CommandEntry(
            "logins.command",
            "logout",
            "Log out at an MCP server, for all tool gateways.",
        ),
    },
    otherwise="show",
)
SKILLS = CommandGroup(
    "The skills of a configuration; `tarsy skills` alone lists them.",
    {
        "list": CommandEntry(
            "skills.commands",
            "list_skills",
            "List the skills of a configuration: where each stands, how long it is, and which agents may have it.",
        ),
        "match": CommandEntry("skills.commands", "match", "Say which skills these words bring up, the best first."),
    },
    otherwise="list",
)
SECTIONS: Mapping[str, Mapping[str, Entry]] = {
    "Investigate": {
        "ask": CommandEntry(
            "submit_commands",
            "ask",
            "Have a question investigated as an alert is, and show the investigation as it happens.",
        ),
        "submit": CommandEntry(
            "submit_commands", "submit", "Send an alert, and print the sessions that investigate it."
        ),
        "sessions": CommandEntry(
            "session_commands", "sessions", "List the latest sessions, or those that fit a search best."
        ),
        "watch": CommandEntry(
            "session_commands", "watch", "Show a session as it happens, from its beginning to its end."
        ),
        "open": CommandEntry(
            "session_commands", "open_page", "Open the page of a session in the browser, and print its address."
        ),
        "show": CommandEntry(
            "session.commands",
            "show",
            "Show a session as it stands: its alert, status, stages, figures, analysis and summary.",
        ),
        "trace": CommandEntry(
            "trace_command",
            "trace",
            "Show what models and MCP servers were given in a session, and what they answered.",
        ),
        "chat": CommandEntry(
            "chat.command", "chat", "Ask about an investigation that has ended, and show the reply as it is written."
        ),
        "result": CommandEntry(
            "result_commands",
            "result",
            "Show the result of a tool call, also what the agent was not shown: lines, a search, a span of time.",
        ),
        "rerun": CommandEntry(
            "session.commands",
            "rerun",
            "Investigate the alert of a session once more, as it was masked, and print the new session.",
        ),
        "cancel": CommandEntry("session.commands", "cancel", "Cancel sessions that run or wait."),
        "export": CommandEntry(
            "session.commands", "export", "Write a session with its whole timeline as JSON, as the API answers it."
        ),
        "events": CommandEntry(
            "events.commands", "events", "Show public events as they come: a CloudEvent a line, as JSON, until Ctrl+C."
        ),
    },
    "Decide": {
        "approvals": CommandEntry("approval_commands", "approvals", "List the tool calls that wait for a person."),
        "approve": CommandEntry(
            "approval_commands", "approve", "Approve a tool call that waits for a person: it runs, once at most."
        ),
        "deny": CommandEntry(
            "approval_commands",
            "deny",
            "Deny a tool call that waits for a person: it does not run, and its agent goes on.",
        ),
        "budget": CommandEntry(
            "budget_commands", "budget", "Extend a budget of a session, or let its agents conclude."
        ),
        "actions": ACTIONS,
    },
    "Run and try": {
        "up": CommandEntry(
            "instance_commands",
            "up",
            "Start all services, with their own Kafka and PostgreSQL unless told of others, and stay in the "
            "foreground.",
        ),
        "status": CommandEntry("instance_commands", "status", "Say what runs, where, and whether it is ready."),
        "down": CommandEntry("instance_commands", "down", "Stop the TARSy that runs; its data stays."),
        "doctor": CommandEntry("doctor.command", "doctor", "Find what is wrong with a set-up, and say what to do."),
        "logs": CommandEntry(
            "logs.command", "logs", "Show what the services of a `tarsy up` have logged, also when it has ended."
        ),
        "demo": CommandEntry(
            "lab.commands",
            "demo",
            "Send the crash-loop alert to the TARSy that runs or starts here, watch the investigation, and ask a "
            "question.",
        ),
        "lab": LAB,
        "config": CONFIG,
        "keys": KEYS,
        "mask": CommandEntry("masking.commands", "mask", "Show what of a file would be masked, and by which rule."),
    },
    "Operate": {
        "servers": SERVERS,
        "skills": SKILLS,
        "audit": CommandEntry(
            "audit.commands",
            "audit",
            "List who asked TARSy to change something: when, by which key or token, and from where.",
        ),
        "held": HELD,
        "dead-letters": DEAD_LETTERS,
        "retention": CommandEntry(
            "retention.command",
            "retention",
            "Delete sessions that are old, and what the session log keeps of deleted ones.",
        ),
        "topics": TOPICS,
        "heads": HEADS,
        "database": DATABASE,
        "timeline": TIMELINE,
    },
}
"""All commands, as the list of them is divided."""
COMMANDS: Mapping[str, Entry] = {name: entry for section in SECTIONS.values() for name, entry in section.items()}
