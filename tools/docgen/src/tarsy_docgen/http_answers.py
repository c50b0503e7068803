"""HTTP answers and headers of each operation that its types do not show: handlers read some headers, and raise.

`test_openapi.py` sees that each operation stands here, and that what the handlers answer is said.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tarsy_ingest.alert_format import AlertFormat
from tarsy_ingest.alert_formats import FORMATS

INVALID = "The request is not valid; `errors` points at each mistake."
UNKNOWN = "There is no such session."
NO_DATABASE = "The database cannot be reached."
NO_CATALOG = "The catalog has not been read to its end after the start, or Kafka has been silent for a while."


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """`answers` are those of success, `problems` are application/problem+json (RFC 9457)."""

    summary: str
    answers: Mapping[int, str]
    problems: Mapping[int, str]
    headers: Mapping[str, str] = field(default_factory=dict)
    answer_headers: Mapping[str, str] = field(default_factory=dict)


KEY = "Idempotency-Key"
AUTHOR = {"X-Forwarded-User": "who asks, as the proxy in front says; X-Forwarded-Email and X-Remote-User do, too"}
TAKING: Mapping[int, str] = {
    400: INVALID,
    413: "The body, or the alert in it, is too large.",
    415: "The door does not take this content type; `detail` says which it takes.",
    429: "The sender sends more alerts a second than it may: `Retry-After` says when to send it again.",
    503: "Kafka has not acknowledged the alert, or the queue is full: send it again, with the same identity.",
}

SAME_SESSION = "the same key of the same caller meets the same session"
LETTERS: Mapping[int, str] = {
    400: INVALID,
    503: "Kafka cannot be reached, or the dead letters have not been read to their end yet: try again.",
}
NO_LETTER = "There is no such dead letter, or it is no longer kept."
NOT_JSON = {415: "The body does not say that it is JSON (`Content-Type`)."}
OTHER_BODY = {422: "The same key came with another body before."}

OWNER_SAYS: Mapping[int, str] = {
    400: INVALID,
    404: f"{UNKNOWN} It is the owner who says so.",
    409: "It is not set aside, or this version cannot read it. It is the owner who says so.",
    503: "The request may not have been written: repeat it with the same Idempotency-Key.",
    **NOT_JSON,
}
TAKEN_IN = "The request was taken in, and is not answered yet; `Location` says where to look."
REPEATED = {KEY: "a repeat with the same key gets the answer on record"} | AUTHOR

READING_ONE: Mapping[int, str] = {
    400: INVALID,
    404: UNKNOWN,
    503: f"{NO_DATABASE} Or event `at_least` was not reached in time.",
}
READING_RESULT: Mapping[int, str] = {
    400: INVALID,
    404: "There is no such session or call, or its result is no longer kept.",
    409: "The call has no result yet, or the beginning of its id is that of several calls.",
    503: f"{NO_DATABASE} Or Kafka cannot, event `at_least` was not reached in time, or reading took too long.",
}
READING_RECORD: Mapping[int, str] = {
    400: INVALID,
    404: f"{UNKNOWN} Or it has no such interaction, or an older version has projected it.",
    410: "The log no longer keeps all events of the session: the record cannot be made again.",
    422: "The events of the session are too large to be read.",
    503: f"{NO_DATABASE} Or Kafka cannot, event `at_least` was not reached in time, or reading took too long.",
}
LAST_NUMBER = {"TARSy-Last-Number": "the number of the last event of the log that is in the answer"}


def _door(form: AlertFormat) -> Operation:
    unsigned = {401: "No secret that is configured signed the body."} if form.verify is not None else {}
    keyed = form.body is None
    return Operation(
        summary=form.summary,
        answers={202: "Kafka has every alert that is to be investigated."},
        problems={**TAKING, **unsigned, **OTHER_BODY},
        headers={KEY: SAME_SESSION if keyed else "for an alert without an identity of its own"} | AUTHOR,
    )


OPERATIONS: Mapping[tuple[str, str], Operation] = {
    ("post", "/api/v1/alerts"): Operation(
        summary="Have an alert investigated",
        answers={202: "Kafka has the alert."},
        problems={**TAKING, **OTHER_BODY},
        headers={KEY: SAME_SESSION} | AUTHOR,
    ),
    **{("post", f"/api/v1/alerts/{path}"): _door(form) for form in FORMATS for path in form.paths},
    ("post", "/api/v1/alerts/json/{door}"): Operation(
        summary="Have the JSON of a sender investigated whose names the configuration has",
        answers={202: "Kafka has every alert that is to be investigated."},
        problems={**TAKING, **OTHER_BODY, 404: "The configuration has no such door."},
        headers={KEY: SAME_SESSION} | AUTHOR,
    ),
    ("get", "/api/v1/alert-types"): Operation(
        summary="The alert types that chains investigate",
        answers={200: "The types by their chains, and the default."},
        problems={400: INVALID},
    ),
    ("get", "/api/v1/runbooks"): Operation(
        summary="The runbooks that alerts named",
        answers={200: "Their addresses, those that were named last first."},
        problems={400: INVALID, 503: NO_DATABASE},
    ),
    ("get", "/api/v1/sessions"): Operation(
        summary="List sessions, or search for some, a page at a time",
        answers={200: "The sessions of the page, and how many there are."},
        problems={400: INVALID, 503: NO_DATABASE},
    ),
    ("get", "/api/v1/sessions/active"): Operation(
        summary="The sessions that run, and those that wait, in the order of their turn",
        answers={200: "Both lists, at most a thousand of each."},
        problems={400: INVALID, 503: NO_DATABASE},
    ),
    ("get", "/api/v1/sessions/filter-options"): Operation(
        summary="What the list of sessions can be filtered by",
        answers={200: "The alert types and chains that sessions have, and all statuses."},
        problems={400: INVALID, 503: NO_DATABASE},
    ),
    ("get", "/api/v1/sessions/{session_id}"): Operation(
        summary="A session with its stages and executions",
        answers={200: "The session."},
        problems=READING_ONE,
        answer_headers=LAST_NUMBER,
    ),
    ("get", "/api/v1/sessions/{session_id}/summary"): Operation(
        summary="The numbers of a session",
        answers={200: "Its interactions, tokens, stages and duration."},
        problems=READING_ONE,
        answer_headers=LAST_NUMBER,
    ),
    ("get", "/api/v1/sessions/{session_id}/status"): Operation(
        summary="How far a session is, and what came of it",
        answers={200: "Its status."},
        problems=READING_ONE,
        answer_headers=LAST_NUMBER,
    ),
    ("get", "/api/v1/sessions/{session_id}/timeline"): Operation(
        summary="The timeline of a session, in order",
        answers={200: "The timeline events."},
        problems=READING_ONE,
        answer_headers=LAST_NUMBER,
    ),
    ("post", "/api/v1/sessions/{session_id}/chat/messages"): Operation(
        summary="Ask a finished investigation",
        answers={202: "The question was taken in; the ids of the chat, of the question, and of the reply's stage."},
        problems={
            400: "The question is empty or too long; or the session has not ended, never ran, or has no chat.",
            404: f"{UNKNOWN} It is the owner who says so.",
            409: "A reply is being written. It is the owner who says so.",
            503: "The question may not have been written: repeat it with the same Idempotency-Key.",
            **NOT_JSON,
            **OTHER_BODY,
        },
        headers=REPEATED,
    ),
    ("get", "/api/v1/approvals"): Operation(
        summary="The tool calls that wait for a person",
        answers={200: "The calls, those that end first at the front."},
        problems={400: INVALID, 503: NO_DATABASE},
    ),
    ("get", "/api/v1/sessions/{session_id}/approvals"): Operation(
        summary="The tool calls of a session that wait for a person",
        answers={200: "The calls, those that end first at the front."},
        problems={400: INVALID, 404: UNKNOWN, 503: NO_DATABASE},
    ),
    ("post", "/api/v1/sessions/{session_id}/approvals/{call_id}"): Operation(
        summary="Approve or deny a tool call that waits",
        answers={200: "It is decided so.", 202: "The request was taken in, and is not answered yet."},
        problems={
            400: INVALID,
            404: f"{UNKNOWN} Or no such call of it has asked for approval. It is the owner who says so.",
            409: "It was decided already, and how; or the session has ended. It is the owner who says so.",
            503: "The decision may not have been written: repeat it with the same Idempotency-Key.",
            **OTHER_BODY,
        },
        headers=REPEATED,
    ),
    ("get", "/api/v1/sessions/{session_id}/tool-calls/{call_id}/result"): Operation(
        summary="Read a part of a tool call's result: lines, those of a span of time, or those that match a search",
        answers={200: "Some lines, and where to go on."},
        problems={**READING_RESULT, 422: "It was asked for by time, and no line of it has a time stamp."},
        answer_headers=LAST_NUMBER,
    ),
    ("get", "/api/v1/sessions/{session_id}/tool-calls/{call_id}/result/download"): Operation(
        summary="Download the whole result of a tool call as text",
        answers={200: "The text, masked, as far as it is kept (32 MiB)."},
        problems=READING_RESULT,
    ),
    ("delete", "/api/v1/sessions/{session_id}"): Operation(
        summary="Delete a session that has ended",
        answers={
            200: "The owner of the session has deleted it: nothing shows it any more.",
            202: "The request was taken in, and is not answered yet; `Location` says where to look.",
        },
        problems={
            400: INVALID,
            404: f"{UNKNOWN} It is the owner who says so.",
            409: "The session is not at rest. The owner has decided so.",
            422: "The same key came with another request before.",
            503: "The request may not have been written. Repeat it with the same key.",
            **NOT_JSON,
        },
    ),
    ("get", "/api/v1/sessions/{session_id}/at/{number}"): Operation(
        summary="A session and its timeline as they were after one of its events",
        answers={200: "The session, its stages and executions, and its timeline."},
        problems={
            **READING_RECORD,
            404: f"{UNKNOWN} Or it has no event of this number, or an older version has projected it.",
        },
        answer_headers=LAST_NUMBER,
    ),
    ("get", "/api/v1/sessions/{session_id}/trace"): Operation(
        summary="The record of a session: its interactions with models and MCP servers, without their contents",
        answers={200: "The interactions, by stage and execution."},
        problems=READING_RECORD,
        answer_headers=LAST_NUMBER,
    ),
    ("get", "/api/v1/sessions/{session_id}/trace/llm/{interaction_id}"): Operation(
        summary="A question to a model: the exact conversation that was sent, the tools, and the answer",
        answers={200: "The question, and whether its digest is that of what was sent."},
        problems=READING_RECORD,
        answer_headers=LAST_NUMBER,
    ),
    ("get", "/api/v1/sessions/{session_id}/trace/mcp/{interaction_id}"): Operation(
        summary="A call of a tool with its arguments and its answer, or the tools that an execution was offered",
        answers={200: "The call, or the tools of one server."},
        problems=READING_RECORD,
        answer_headers=LAST_NUMBER,
    ),
    ("post", "/api/v1/sessions/{session_id}/cancel"): Operation(
        summary="Cancel a session",
        answers={
            200: "The owner of the session has decided to cancel it.",
            202: "The request was taken in, and is not answered yet; `Location` says where to look.",
        },
        problems={
            400: INVALID,
            404: f"{UNKNOWN} It is the owner who says so.",
            409: "It has ended, or is being cancelled already. It is the owner who says so.",
            503: "The request may not have been written: repeat it with the same Idempotency-Key.",
            **NOT_JSON,
        },
        headers={KEY: "a repeat with the same key gets the answer on record"} | AUTHOR,
    ),
    ("post", "/api/v1/sessions/{session_id}/release"): Operation(
        summary="Bring back a session that was set aside",
        answers={200: "The owner has brought it back, with the inputs that waited.", 202: TAKEN_IN},
        problems=OWNER_SAYS,
        headers=REPEATED,
    ),
    ("post", "/api/v1/sessions/{session_id}/retry"): Operation(
        summary="Decide the inputs of a session that was set aside once more; the same act as release",
        answers={200: "The owner has brought it back, with the inputs that waited.", 202: TAKEN_IN},
        problems=OWNER_SAYS,
        headers=REPEATED,
    ),
    ("post", "/api/v1/sessions/{session_id}/rerun"): Operation(
        summary="Investigate the alert of a session again, in a new session",
        answers={202: "Kafka has the alert."},
        problems={
            400: INVALID,
            404: "No such session is in the timeline.",
            413: "The body is too large.",
            **NOT_JSON,
            503: f"{NO_DATABASE} Or names cannot be checked, as no ingest answers. Or Kafka has not acknowledged the "
            "alert: repeat it with the same Idempotency-Key.",
            **OTHER_BODY,
        },
        headers={KEY: "a repeat with the same key is the same new session"} | AUTHOR,
    ),
    ("post", "/api/v1/sessions/{session_id}/fail"): Operation(
        summary="End a session that was set aside; the inputs that wait go to the dead letters",
        answers={200: "The owner has ended it.", 202: TAKEN_IN},
        problems={**OWNER_SAYS, **OTHER_BODY},
        headers=REPEATED,
    ),
    ("get", "/api/v1/dead-letters"): Operation(
        summary="Records that could not be read, by who buried them and why",
        answers={200: "A page of letters, the newest first."},
        problems=LETTERS,
        headers=AUTHOR,
    ),
    ("get", "/api/v1/dead-letters/{letter_id}"): Operation(
        summary="A dead letter with a masked beginning of its record",
        answers={200: "The letter."},
        problems={**LETTERS, 404: NO_LETTER},
        headers=AUTHOR,
    ),
    ("get", "/api/v1/dead-letters/{letter_id}/raw"): Operation(
        summary="The exact bytes of a dead letter, unmasked",
        answers={200: "Key, value and headers in base64."},
        problems={**LETTERS, 403: "TARSY_RAW_DEAD_LETTERS does not allow it.", 404: NO_LETTER},
        headers=AUTHOR,
    ),
    ("post", "/api/v1/dead-letters/{letter_id}/redrive"): Operation(
        summary="Write a dead letter back to where it came from",
        answers={200: "The outcome, which may be a refusal."},
        problems={**LETTERS, 404: NO_LETTER, 413: "The body is too large.", **NOT_JSON},
        headers=AUTHOR,
    ),
    ("post", "/api/v1/dead-letters/redrive"): Operation(
        summary="Write all dead letters back that wait and fit, some at a time",
        answers={200: "The outcome of each, and where to go on."},
        problems={**LETTERS, 413: "The body is too large.", **NOT_JSON},
        headers=AUTHOR,
    ),
    ("get", "/api/v1/system/overview"): Operation(
        summary="Queue, projection and processes at a glance",
        answers={200: "The state of the system now."},
        problems={400: INVALID, 503: f"{NO_DATABASE} Or: {NO_CATALOG}"},
    ),
    ("get", "/api/v1/system/held-sessions"): Operation(
        summary="The sessions that are set aside, and wait for an operator",
        answers={200: "At most a thousand, those that wait longest first."},
        problems={400: INVALID, 503: "The topic has not been read to its end after the start."},
    ),
    ("get", "/api/v1/system/mcp-servers"): Operation(
        summary="The MCP servers, as the running tool gateways see them",
        answers={200: "At most 500 servers, by name, each with what every running tool gateway sees of it."},
        problems={400: INVALID, 503: NO_CATALOG},
    ),
    ("get", "/api/v1/system/mcp-servers/{server_id}"): Operation(
        summary="An MCP server with all its tools and their schemas",
        answers={200: "The server."},
        problems={400: INVALID, 404: "No tool gateway has told of such a server.", 503: NO_CATALOG},
    ),
    ("get", "/api/v1/usage"): Operation(
        summary="Tokens and their cost, by chain, model or day",
        answers={200: "What sessions have used in these days."},
        problems={400: INVALID, 503: NO_DATABASE},
    ),
    ("get", "/api/v1/me"): Operation(
        summary="Who the caller is",
        answers={200: "Name, role and end of the credential of this request."},
        problems={400: INVALID},
        headers=AUTHOR,
    ),
    ("get", "/api/v1/system/warnings"): Operation(
        summary="What an operator should look at now",
        answers={200: "The warnings. One goes when its cause does, and has the same id when it comes back."},
        problems={400: INVALID, 503: NO_CATALOG},
    ),
    ("get", "/api/v1/system/default-tools"): Operation(
        summary="The tools of an alert that chooses none",
        answers={200: "The MCP servers and native tools of the chain's agents."},
        problems={400: INVALID},
    ),
    ("get", "/api/v1/system/config"): Operation(
        summary="The effective configuration, without its secrets",
        answers={200: "All sections, built-in entries included."},
        problems={400: INVALID},
    ),
}
