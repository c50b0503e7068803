"""The digest of a week as webhooks are sent it: a CloudEvent with the answer of `/api/v1/usage/digest`.

It is no event of `tarsy.events`: it is of many sessions, and reaches only receivers that want it.
"""

from datetime import datetime

from pydantic import JsonValue

from tarsy_contracts.api.digests.usage_digest import UsageDigest
from tarsy_contracts.public.model import PREFIX

DIGEST_TYPE = "tarsy.usage.digest"
DIGEST_SCHEMA = f"{PREFIX}{DIGEST_TYPE}:1"
SOURCE = "tarsy"


def digest_event(digest_id: str, due_at: datetime, digest: UsageDigest) -> dict[str, JsonValue]:
    """In CloudEvents' JSON format. `subject` is the last day; the id is that of each repeat."""
    return {
        "specversion": "1.0",
        "id": digest_id,
        "type": DIGEST_TYPE,
        "source": SOURCE,
        "subject": digest.last,
        "time": due_at.isoformat(),
        "dataschema": DIGEST_SCHEMA,
        "datacontenttype": "application/json",
        "data": digest.model_dump(mode="json"),
    }
