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
        "apply": CommandEntry("topic_commands", "apply", "Create the missing topics, and check the others."),
        "show": CommandEntry("kafka.commands", "show", "Print the topics as `tarsy topics apply` would make them."),
        "acls": CommandEntry(
            "kafka.commands", "acls", "Print the least rights on Kafka that each service needs, and others."
        ),
        "msk-token": CommandEntry(
            "kafka.msk_token",
            "msk_token",
            "Print a token for Amazon MSK with IAM, as TARSY_KAFKA_TOKEN_COMMAND wants it.",
        ),
    },
)
ACTIONS = CommandGroup(
    "The switch that holds all tool calls that change something.",
    {
        "show": CommandEntry("action_commands", "show", "Show whether actions are paused, and who paused them."),
        "pause": CommandEntry(
            "action_commands", "pause", "Pause all actions: no further call that changes something begins."
        ),
        "resume": CommandEntry("action_commands", "resume", "Resume actions."),
    },
    otherwise="show",
)
HEADS = CommandGroup(
    "The heads in Kafka: where each session begins and ends on the session log.",
    {
        "rebuild": CommandEntry(
            "heads_commands",
            "rebuild",
            "Rebuild the heads of a partition from its session log, where they are wrong.",
        ),
    },
)
DATABASE = CommandGroup(
    "The tables in PostgreSQL.",
    {
        "migrate": CommandEntry("database_commands", "migrate", "Create or migrate the tables of the timeline."),
    },
)
TIMELINE = CommandGroup(
    "The tables of the timeline, as a view of the session log.",
    {
        "rebuild": CommandEntry(
            "timeline_commands",
            "rebuild",
            "Rebuild all tables from the session log, beside the live ones, and switch to them.",
        ),
        "checksums": CommandEntry(
            "timeline_commands",
            "checksums",
            "Show the row count and a checksum of each table: they are the same for all projections of one log.",
        ),
    },
)
HELD = CommandGroup(
    "Sessions that are set aside; `tarsy held` lists them.",
    {
        "list": CommandEntry("held_commands", "list_held", "List the sessions that are set aside, and why."),
        "release": CommandEntry(
            "held_commands",
            "release",
            "Release sessions, with the inputs that wait for them, for example after an upgrade.",
        ),
        "retry": CommandEntry("held_commands", "retry", "Retry sessions, with the inputs that wait for them."),
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
            "Show a dead letter with the beginning of its record, masked: a stranger wrote it.",
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
    "The configuration: check it, and see what follows from it.",
    {
        "check": CommandEntry(
            "config.commands",
            "check",
            "Check a configuration: name each mistake with its line and what would be right, or list what it has.",
        ),
        "show": CommandEntry(
            "config.commands",
            "show",
            "Show the plan for each alert type: the value of every setting, and where it comes from.",
        ),
        "route": CommandEntry("config.route", "route", "Show which chain investigates an alert, and by which rule."),
    },
)
KEYS = CommandGroup(
    "API keys, and the file that says who may do what.",
    {
        "new": CommandEntry(
            "keys.commands", "new", "Create an API key: print it once, with its entry for auth.yaml below."
        ),
        "check": CommandEntry(
            "keys.commands",
            "check",
            "Check an auth.yaml: name each mistake, or list its keys with names, roles, and which have expired.",
        ),
    },
)
SERVERS = CommandGroup(
    "The MCP servers; `tarsy servers` lists them, `tarsy servers NAME` shows one.",
    {
        "show": CommandEntry(
            "server_commands",
            "servers",
            "List the MCP servers as the tool gateways see them, and what is wrong with them.",
        ),
        "add": CommandEntry(
            "servers.add_command",
            "add",
            "Add the MCP server of a system to tarsy.yaml, or list the systems of the cookbook.",
        ),
        "login": CommandEntry("logins.command", "login", "Log in to an MCP server, once, for all tool gateways."),
        "logout": CommandEntry(
            "logins.command",
            "logout",
            "Log out of an MCP server, for all tool gateways.",
        ),
    },
    otherwise="show",
)
SKILLS = CommandGroup(
    "The skills of a configuration; `tarsy skills` lists them.",
    {
        "list": CommandEntry(
            "skills.commands",
            "list_skills",
            "List the skills of a configuration: where each one is, how long it is, and which agents may have it.",
        ),
        "match": CommandEntry("skills.commands", "match", "Show which skills these words find, best first."),
    },
    otherwise="list",
)
USAGE = CommandGroup(
    "Investigations of a week, and what they used.",
    {
        "digest": CommandEntry(
            "usage.commands",
            "digest",
            "Print a week on one page: alerts investigated, causes, slow tools, unread skills, money.",
        ),
    },
)
SECTIONS: Mapping[str, Mapping[str, Entry]] = {
    "Investigate": {
        "ask": CommandEntry(
            "submit_commands",
            "ask",
            "Investigate a question as if it were an alert, and show the investigation as it happens.",
        ),
        "submit": CommandEntry(
            "submit_commands", "submit", "Send an alert, and print the sessions that investigate it."
        ),
        "sessions": CommandEntry(
            "session_commands", "sessions", "List the latest sessions, or those that match a search best."
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
            "Show the result of a tool call, including what the agent was not shown: lines, a search, a span of time.",
        ),
        "rerun": CommandEntry(
            "session.commands",
            "rerun",
            "Re-run a session: investigate its alert again, as it was masked, and print the new session.",
        ),
        "cancel": CommandEntry("session.commands", "cancel", "Cancel running or queued sessions."),
        "export": CommandEntry(
            "session.commands", "export", "Export a session with its whole timeline as JSON, as the API returns it."
        ),
        "events": CommandEntry(
            "events.commands",
            "events",
            "Show public events as they come: one CloudEvent a line, as JSON, until Ctrl+C.",
        ),
    },
    "Decide": {
        "approvals": CommandEntry("approval_commands", "approvals", "List the tool calls that await approval."),
        "approve": CommandEntry(
            "approval_commands", "approve", "Approve a tool call that awaits approval: it runs at most once."
        ),
        "deny": CommandEntry(
            "approval_commands",
            "deny",
            "Deny a tool call that awaits approval: it does not run, and its agent goes on.",
        ),
        "budget": CommandEntry(
            "budget_commands", "budget", "Extend a budget of a session, or let its agents conclude."
        ),
        "budgets": CommandEntry(
            "budget_commands", "budgets", "List the budgets that are configured, and what is spent of them today."
        ),
        "reviews": CommandEntry(
            "review_commands", "reviews", "List the investigations that people review, those that wait first."
        ),
        "review": CommandEntry(
            "review_commands", "review", "Claim, complete or otherwise change the review of a session."
        ),
        "score": CommandEntry(
            "review_commands", "score", "Show how an investigation was judged, or have it judged once more."
        ),
        "actions": ACTIONS,
    },
    "Run and try": {
        "up": CommandEntry(
            "instance_commands",
            "up",
            "Start all services in the foreground, with their own Kafka and PostgreSQL unless others are named.",
        ),
        "status": CommandEntry("instance_commands", "status", "Show what runs, where, and whether it is ready."),
        "down": CommandEntry("instance_commands", "down", "Stop the TARSy that runs; its data stays."),
        "doctor": CommandEntry("doctor.command", "doctor", "Find what is wrong with a set-up, and say what to do."),
        "logs": CommandEntry(
            "logs.command", "logs", "Show what the services of `tarsy up` have logged, even after it has ended."
        ),
        "demo": CommandEntry(
            "lab.commands",
            "demo",
            "Send the crash-loop alert to the TARSy of `tarsy up`, watch the investigation, and ask a question.",
        ),
        "lab": LAB,
        "config": CONFIG,
        "keys": KEYS,
        "mask": CommandEntry("masking.commands", "mask", "Show what would be masked in a file, and by which rule."),
    },
    "Operate": {
        "servers": SERVERS,
        "skills": SKILLS,
        "usage": USAGE,
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
            "Delete old sessions, and what the session log keeps of deleted ones.",
        ),
        "topics": TOPICS,
        "heads": HEADS,
        "database": DATABASE,
        "timeline": TIMELINE,
    },
}
"""All commands, as the list of them is divided."""
COMMANDS: Mapping[str, Entry] = {name: entry for section in SECTIONS.values() for name, entry in section.items()}
