"""The body of `POST /api/v1/alerts`, as the Go TARSy has it."""

from pydantic import ConfigDict, JsonValue

from tarsy_contracts.alert import AlertSource
from tarsy_ingest.incoming import AlertTypes, Form, Incoming, Refused, bounded, validated, web_address


class McpServerChoice(Form):
    name: str
    tools: tuple[str, ...] | None = None


class McpChoice(Form):
    servers: tuple[McpServerChoice, ...] = ()
    native_tools: dict[str, bool] | None = None


class Submission(Form):
    """`data` is for the agent to read, in any form. `slack_message_fingerprint` is accepted and not used yet."""

    model_config = ConfigDict(extra="forbid")

    alert_type: str | None = None
    data: str
    runbook: str | None = None
    mcp: McpChoice | None = None
    slack_message_fingerprint: str | None = None


def read_submission(
    value: JsonValue, types: AlertTypes, *, session_id: str, author: str, source: AlertSource = "api"
) -> Incoming:
    """Raises Refused."""
    submission = validated(Submission, value)
    if submission.mcp is not None and (submission.mcp.servers or submission.mcp.native_tools):
        raise Refused((("mcp",), "choosing servers for one alert comes with a later version"))
    if submission.runbook and web_address(submission.runbook) is None:
        raise Refused((("runbook",), "is not an http or https address"))
    return Incoming(
        session_id=session_id,
        alert_type=types.asked_for(submission.alert_type or None),
        data=bounded(submission.data, ("data",)),
        source=source,
        author=author,
        runbook_url=submission.runbook or None,
    )
