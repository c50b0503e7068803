"""Words that several routes have in the OpenAPI document."""

from collections.abc import Mapping

from tarsy_service.http.described_routes import AUTHOR, INVALID, KEY, NOT_JSON

UNKNOWN = "There is no such session."
UNKNOWN_TO_OWNER = f"{UNKNOWN} It is the owner who says so."
NO_DATABASE = "The database cannot be reached."
NO_CATALOG = "The catalog has not been read to its end after the start, or Kafka has been silent for a while."
TAKEN_IN = "The request was accepted, and is not answered yet; `Location` says where to look."
REPEAT = "The request may not have been written: repeat it with the same Idempotency-Key."
READING: Mapping[int, str] = {400: INVALID, 503: NO_DATABASE}
READING_CATALOG: Mapping[int, str] = {400: INVALID, 503: NO_CATALOG}
READING_ONE: Mapping[int, str] = {
    400: INVALID,
    404: UNKNOWN,
    503: f"{NO_DATABASE} Or event `at_least` was not reached in time.",
}
READING_LOG = f"{NO_DATABASE} Or Kafka cannot, event `at_least` was not reached in time, or reading took too long."
READING_RECORD: Mapping[int, str] = {
    400: INVALID,
    404: f"{UNKNOWN} Or it has no such interaction, or an older version has projected it.",
    410: "The log no longer keeps all events of the session: the record cannot be shown.",
    422: "The events of the session are too large to be read.",
    503: READING_LOG,
}
LAST_NUMBER: Mapping[str, str] = {"TARSy-Last-Number": "the number of the last event of the log that is in the answer"}
REPEATED: Mapping[str, str] = {KEY: "a repeat with the same key gets the answer on record", **AUTHOR}
SET_ASIDE: Mapping[int, str] = {
    400: INVALID,
    404: UNKNOWN_TO_OWNER,
    409: "It is not set aside, or this version cannot read it. It is the owner who says so.",
    503: REPEAT,
    **NOT_JSON,
}
