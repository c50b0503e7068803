"""Models of auth.yaml: API keys, senders that sign their webhooks, the OpenID provider whose tokens count, and the
login."""

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretBytes, ValidationInfo

from tarsy_auth.loopback import is_loopback
from tarsy_auth.roles import Role
from tarsy_auth.session_groups import SessionGroup, VisibleGroups, check_label
from tarsy_auth.webhook_secrets import ReadSecret

DIGEST = re.compile(r"[0-9a-f]{64}")
HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
SCOPE = re.compile(r"[!#-\[\]-~]+( [!#-\[\]-~]+)*")
"""As RFC 6749 has it."""
LONGEST_NAME = 200
ALL = "all"
"""Stands where groups would, for somebody who sees every session."""
CALLBACK_PATH = "/login/callback"
ROLES = ", ".join(role.label for role in Role)


def is_name(text: str) -> bool:
    """The name can go on the record: one line, of characters that are seen."""
    return 0 < len(text) <= LONGEST_NAME and text.isprintable() and text == text.strip()


def role_of(written: object) -> Role:
    """Raises ValueError."""
    found = next((role for role in Role if written in (role, role.label)), None)
    if found is None:
        raise ValueError(f"is no role; known here: {ROLES}")
    return found


def moment_of(written: object) -> datetime:
    """In UTC; a date is its beginning. Raises ValueError."""
    if isinstance(written, str):
        written = _parse_date(written)
    if isinstance(written, datetime):
        if written.tzinfo is None:
            raise ValueError("has no zone; write a time as 2027-03-01T12:00:00Z")
        return _to_utc(written)
    if isinstance(written, date):
        return datetime.combine(written, time(), UTC)
    raise ValueError("is not a date; write it as 2027-03-01")


def _parse_date(written: str) -> date:
    try:
        return date.fromisoformat(written)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(written)
    except ValueError:
        raise ValueError("is not a date or a time; write it as 2027-03-01 or 2027-03-01T12:00:00Z") from None


def _to_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("is beyond all dates") from None


def _check_name(text: str) -> str:
    if not is_name(text):
        raise ValueError(f"is no name; it has 1 to {LONGEST_NAME} characters that are seen, without spaces around them")
    return text


def _check_text(text: str) -> str:
    if not text:
        raise ValueError("is empty")
    return text


def _check_digest(text: str) -> str:
    # The text itself is never shown: it may be a key.
    if text.startswith("tarsy_"):
        raise ValueError("is a key, where its SHA-256 has to stand; make a new key, as this one stood in a file")
    if not DIGEST.fullmatch(text.lower()):
        raise ValueError("is no SHA-256; it has 64 hexadecimal digits, as `tarsy keys new` prints them")
    return text.lower()


def _check_address(text: str) -> str:
    problem = "is no address; write it as https://login.example.com/realms/sre"
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018 - it is checked when it is read
        on_loopback = is_loopback(text)
    except ValueError:
        raise ValueError(problem) from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not text.isprintable() or " " in text:
        raise ValueError(problem)
    if parts.username is not None or parts.password is not None:
        raise ValueError("has a user or a password; leave it out")
    if parts.scheme == "http" and not on_loopback:
        raise ValueError("is http, which anybody on the way may answer; write https, as this is not loopback")
    return text


def _check_endpoint(text: str) -> str:
    if "#" in text:
        raise ValueError("has a fragment (`#`); leave it out")
    return _check_address(text)


def _check_redirect_uri(text: str) -> str:
    parts = urlsplit(_check_endpoint(text))
    if not parts.path.endswith(CALLBACK_PATH) or parts.query:
        raise ValueError(
            f"is not where the page's login ends; write the page's address and {CALLBACK_PATH}, "
            f"as https://tarsy.example.com{CALLBACK_PATH}"
        )
    return text


def _check_scope(text: str) -> str:
    if not SCOPE.fullmatch(text):
        raise ValueError("is not a scope; write names with one space between them")
    if "openid" not in text.split():
        raise ValueError("has no `openid`, without which the provider gives no ID token")
    return text


def _read_groups(written: object) -> tuple[str, ...] | None:
    """None for `all`. Raises ValueError."""
    if written == ALL:
        return None
    if not isinstance(written, list | tuple):
        raise ValueError(f"is no list of session groups, and not `{ALL}`")
    return _read_texts(written)


def _read_texts(written: object) -> tuple[str, ...]:
    """One text stands for a list of one. Raises ValueError."""
    if isinstance(written, str):
        return (_check_text(written),)
    if not isinstance(written, list | tuple):
        raise ValueError("is no text")
    texts = [text for text in written if isinstance(text, str)]
    if not texts or len(texts) < len(written):
        raise ValueError("is no list of texts")
    return tuple(map(_check_text, texts))


def _check_header(text: str) -> str:
    if not HEADER.fullmatch(text):
        raise ValueError("is no name of a header; write it as X-Hub-Signature-256")
    if text.lower() == "authorization":
        raise ValueError("is the header of keys and tokens; a signature stands in one of its own")
    return text


def _read_secret(written: object, info: ValidationInfo[ReadSecret]) -> bytes:
    """The context reads the file. Raises ValueError."""
    if not isinstance(written, str):
        raise ValueError("is no text")
    return info.context(_check_text(written))


type Name = Annotated[str, AfterValidator(_check_name)]
type Text = Annotated[str, AfterValidator(_check_text)]
type Address = Annotated[str, AfterValidator(_check_address)]
type Digest = Annotated[str, AfterValidator(_check_digest)]
type Label = Annotated[str, AfterValidator(check_label)]
type Texts = Annotated[tuple[str, ...], BeforeValidator(_read_texts)]
type GroupNames = Annotated[tuple[str, ...] | None, BeforeValidator(_read_groups)]
type Endpoint = Annotated[str, AfterValidator(_check_endpoint)]
type RedirectUri = Annotated[str, AfterValidator(_check_redirect_uri)]
type ScopeNames = Annotated[str, AfterValidator(_check_scope)]
type HeaderName = Annotated[str, AfterValidator(_check_header)]
type FileSecret = Annotated[SecretBytes, BeforeValidator(_read_secret)]
type RoleName = Annotated[Role, BeforeValidator(role_of)]
type Moment = Annotated[datetime, BeforeValidator(moment_of)]


class AuthModel(BaseModel):
    """A part of auth.yaml."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class ApiKeyEntry(AuthModel):
    """An API key as the file has it: the key itself stands nowhere."""

    name: Name
    role: RoleName
    sha256: Digest
    expires: Moment | None = None
    session_groups: GroupNames = None

    def has_expired(self, now: float) -> bool:
        """It counts until the second before `expires`."""
        return self.expires is not None and now >= self.expires.timestamp()


class WebhookEntry(AuthModel):
    """A sender that signs its bodies. The file names the file of the secret; `secret` is what stands in that."""

    name: Name
    secret: FileSecret = Field(alias="secret_file")
    header: HeaderName = "X-Hub-Signature-256"


class RoleClaim(AuthModel):
    """The claim that roles follow from. The highest role of its values counts."""

    claim: Text
    values: Mapping[str, RoleName] = Field(min_length=1)


class GroupClaim(AuthModel):
    """The claim that session groups follow from: those of all its values together. Without any, no session is seen."""

    claim: Text
    values: Mapping[str, GroupNames] = Field(min_length=1)


class TokenSettings(AuthModel):
    """The OpenID provider whose tokens count: those that are for one of the audiences."""

    issuer: Address
    audience: Texts
    jwks: Address
    name: Text = "sub"
    roles: RoleClaim
    session_groups: GroupClaim | None = None


class LoginSettings(AuthModel):
    """The client of the OpenID provider as which the page logs people in. Without a secret it is a public one.

    With `refresh_key`, which encrypts refresh tokens in the browser's cookie, a login is renewed before it ends.
    """

    client_id: Text
    client_secret: FileSecret | None = Field(None, alias="client_secret_file")
    scope: ScopeNames = "openid profile email"
    authorization_endpoint: Endpoint
    token_endpoint: Endpoint
    redirect_uri: RedirectUri
    refresh_key: FileSecret | None = Field(None, alias="refresh_key_file")
    revocation_endpoint: Endpoint | None = None

    @property
    def is_secure(self) -> bool:
        """Whether the page comes over https; plain http is for loopback."""
        return urlsplit(self.redirect_uri).scheme == "https"

    @property
    def base_path(self) -> str:
        """The path below which the page lies; empty for none."""
        return urlsplit(self.redirect_uri).path.removesuffix(CALLBACK_PATH)


class AuthConfig(AuthModel):
    """Everything that auth.yaml says. `session_groups`: the labels of each, by its name."""

    keys: tuple[ApiKeyEntry, ...] = ()
    webhooks: tuple[WebhookEntry, ...] = ()
    tokens: TokenSettings | None = None
    login: LoginSettings | None = None
    session_groups: Mapping[Name, Annotated[Mapping[Label, Texts], Field(min_length=1)]] = Field(default_factory=dict)

    def visible_groups(self, names: tuple[str, ...] | None) -> VisibleGroups:
        """The groups of these names; None, for all sessions, stays None."""
        return None if names is None else tuple(SessionGroup(name, self.session_groups[name]) for name in names)
