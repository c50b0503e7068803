"""Contents of an auth.yaml without mistakes, in lines."""

from collections.abc import Iterator

from tarsy_auth.auth_config import ApiKeyEntry, AuthConfig, LoginSettings, TokenSettings

LINE = "{:32}  {:9}  {:20}  {}"


def lines_of(config: AuthConfig, now: float) -> Iterator[str]:
    yield "The file has no mistakes."
    if config.keys:
        yield LINE.format("key", "role", "expires", "").rstrip()
    for entry in config.keys:
        yield _key_line(entry, now)
    for webhook in config.webhooks:
        yield f"webhook: {webhook.name} signs in {webhook.header}"
    for name, labels in config.session_groups.items():
        named = [f"{label} {' or '.join(values)}" for label, values in labels.items()]
        yield f"session group {name}: {', '.join(named)}"
    yield from ["tokens: none"] if config.tokens is None else _token_lines(config.tokens)
    if config.login is not None:
        yield _login_line(config.login)


def _key_line(entry: ApiKeyEntry, now: float) -> str:
    ends = "never" if entry.expires is None else f"{entry.expires:%Y-%m-%dT%H:%M:%SZ}"
    notes = ["has expired"] if entry.has_expired(now) else []
    if entry.session_groups is not None:
        notes.append(_describe_visibility(entry.session_groups))
    return LINE.format(entry.name, entry.role.label, ends, ", ".join(notes)).rstrip()


def _token_lines(tokens: TokenSettings) -> Iterator[str]:
    yield f"tokens: of {tokens.issuer} for {', '.join(tokens.audience)}, with the name in {tokens.name}"
    for value, role in tokens.roles.values.items():
        yield f"  {tokens.roles.claim} {value}: {role.label}"
    if (groups := tokens.session_groups) is not None:
        for value, names in groups.values.items():
            yield f"  {groups.claim} {value}: {_describe_visibility(names)}"


def _describe_visibility(groups: tuple[str, ...] | None) -> str:
    return f"sees {'all sessions' if groups is None else ' and '.join(groups)}"


def _login_line(login: LoginSettings) -> str:
    client = "a public client" if login.client_secret is None else "a client with a secret"
    renewed = "" if login.refresh_key is None else ", and is renewed"
    return f"login: as {login.client_id}, {client}, which ends at {login.redirect_uri}{renewed}"
