"""How an MCP server is reached: each type has its own keys, and what is secret stays so."""

from pathlib import Path

import pytest

from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config
from tarsy_config.sections.servers import McpServerConfig
from tarsy_config.sections.transports import Transport

ENVIRON = {"GRAFANA_TOKEN": "hunter2", "TENANT": "tenant-key"}
AROUND = """
agents: {A: {mcp_servers: [grafana]}}
agent_chains:
  k: {alert_types: [kubernetes], stages: [{name: s, agents: [{name: A}]}]}
llm_providers: {scripted: {type: scripted, script: tarsy.yaml}}
defaults: {llm_provider: scripted}
"""
HTTP = """\
type: http
url: https://grafana.example/mcp?key=in-the-address
headers: {X-Tenant: "{{.TENANT}}", X-Org: "7"}
bearer_token: "{{.GRAFANA_TOKEN}}"
ca_file: /etc/ssl/own-ca.pem
timeout: 30s
"""
PLACE = "mcp_servers.grafana.transport"


def server(folder: Path, lines: str, beside: str = "") -> McpServerConfig:
    """The lines of the transport begin at line 4; what stands beside it follows on them."""
    indented = "".join(f"      {line}\n" for line in lines.splitlines())
    indented += "".join(f"    {line}\n" for line in beside.splitlines())
    text = f"mcp_servers:\n  grafana:\n    transport:\n{indented}{AROUND}"
    (folder / "tarsy.yaml").write_text(text, encoding="utf-8")
    return load_config(folder, ENVIRON).mcp_servers["grafana"]


def transport(folder: Path, lines: str) -> Transport:
    return server(folder, lines).transport


def mistakes(folder: Path, lines: str) -> list[str]:
    with pytest.raises(InvalidConfigError) as caught:
        transport(folder, lines)
    return str(caught.value).splitlines()


def test_an_http_transport_loads_with_all_that_it_can_have(tmp_path: Path) -> None:
    loaded = transport(tmp_path, HTTP)
    assert (loaded.type, loaded.url) == ("http", "https://grafana.example/mcp?key=in-the-address")
    assert {name: value.get_secret_value() for name, value in loaded.headers.items()} == {
        "X-Tenant": "tenant-key",
        "X-Org": "7",
    }
    assert loaded.bearer_token is not None
    assert loaded.bearer_token.get_secret_value() == "hunter2"
    assert (loaded.verify_ssl, loaded.ca_file, loaded.timeout) == (True, Path("/etc/ssl/own-ca.pem"), 30.0)


def test_an_address_is_enough(tmp_path: Path) -> None:
    loaded = transport(tmp_path, "type: http\nurl: http://localhost:8000/mcp\n")
    assert (loaded.bearer_token, dict(loaded.headers), loaded.verify_ssl) == (None, {}, True)


def test_nothing_secret_is_in_a_repr(tmp_path: Path) -> None:
    text = repr(transport(tmp_path, HTTP))
    assert not [secret for secret in ("hunter2", "tenant-key", "in-the-address") if secret in text]


def test_keys_of_the_other_type_are_told_each_in_its_line(tmp_path: Path) -> None:
    assert mistakes(tmp_path, "type: http\nurl: http://h/mcp\ncommand: python\nargs: [a]\nenv: {A: b}\n") == [
        f"tarsy.yaml:6: {PLACE}.command: is a key of stdio transports; remove it, or write type: stdio",
        f"tarsy.yaml:7: {PLACE}.args: is a key of stdio transports; remove it, or write type: stdio",
        f"tarsy.yaml:8: {PLACE}.env: is a key of stdio transports; remove it, or write type: stdio",
    ]
    assert mistakes(tmp_path, "type: stdio\ncommand: a\nurl: http://h/mcp\nverify_ssl: true\n") == [
        f"tarsy.yaml:6: {PLACE}.url: is a key of http and sse transports; remove it, or write type: http",
        f"tarsy.yaml:7: {PLACE}.verify_ssl: is a key of http and sse transports; remove it, or write type: http",
    ]


@pytest.mark.parametrize(("kind", "key"), [("http", "url"), ("sse", "url"), ("stdio", "command")])
def test_what_a_type_needs_is_told_when_it_is_missing(tmp_path: Path, kind: str, key: str) -> None:
    assert mistakes(tmp_path, f"timeout: 5s\ntype: {kind}\n") == [
        f"tarsy.yaml:3: {PLACE}.{key}: is missing; add it",
    ]


def test_several_mistakes_of_one_transport_are_told_at_once(tmp_path: Path) -> None:
    lines = "type: http\nurl: grafana.example/mcp\nbearer: x\nheaders: {X-Org: 7}\ntimeout: soon\n"
    assert mistakes(tmp_path, lines) == [
        f"tarsy.yaml:5: {PLACE}.url: is not the address of an HTTP server; write such as https://HOST/mcp",
        f"tarsy.yaml:6: {PLACE}.bearer: unknown key; did you mean bearer_token?",
        f"tarsy.yaml:7: {PLACE}.headers.X-Org: is not text; write the value in quotes",
        f'tarsy.yaml:8: {PLACE}.timeout: is not a duration; write seconds, or such as "60s", "5m", "1m30s"',
    ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("url: ftp://h/mcp", "url: is not the address of an HTTP server"),
        ("url: https:///mcp", "url: is not the address of an HTTP server"),
        ("url: http://h:port/mcp", "url: is not the address of an HTTP server"),
        ("url: http://a..b/mcp", "url: is not the address of an HTTP server"),
        ("url: 'http://ex ample/mcp'", "url: is not the address of an HTTP server"),
        (f"url: http://{'x' * 64}.example/mcp", "url: is not the address of an HTTP server"),
        ("url: 'http://[zz]/mcp'", "url: is not the address of an HTTP server"),
        ("url: https://me:hunter2@h/mcp", "url: holds a user or password"),
        ("headers: {'X Org': a}", "headers: holds what cannot be the name of a header"),
        ('headers: {X-A: a, X-Org: ""}', "headers.X-Org: is empty"),
        ('headers: {X-Org: "a\\nX-Admin: hunter2"}', "headers.X-Org: holds what no header can carry"),
        ("session_cleanup_url: h/sessions", "session_cleanup_url: is not the address of an HTTP server"),
        ('url: "http://h/{{.SESSION_ID}}"', "url: cannot hold {{.SESSION_ID}}; give the session's id with headers"),
        ('bearer_token: ""', "bearer_token: is empty"),
        ('bearer_token: "hunter2\\n"', "bearer_token: holds what no header can carry"),
        ("ca_file: own-ca.pem", "ca_file: is not a whole path"),
    ],
)
def test_what_cannot_be_sent_is_told_without_the_value(tmp_path: Path, line: str, told: str) -> None:
    address = "" if line.startswith("url") else "url: https://h/mcp\n"
    found = mistakes(tmp_path, f"type: http\n{address}{line}\n")
    assert len(found) == 1
    assert f" {PLACE}.{told}" in found[0]
    assert "hunter2" not in found[0]


@pytest.mark.parametrize("host", ["10.0.0.1:80", "[::1]:8080", "grafana_1.svc.cluster.local.", "bücher.example", "h"])
def test_every_host_that_there_can_be_is_accepted(tmp_path: Path, host: str) -> None:
    assert transport(tmp_path, f"type: http\nurl: 'http://{host}/mcp'\n").url == f"http://{host}/mcp"


def test_a_token_beside_a_header_for_authorization_is_a_mistake(tmp_path: Path) -> None:
    lines = "type: http\nurl: http://h/mcp\nbearer_token: hunter2\nheaders: {authorization: Basic abc}\n"
    assert mistakes(tmp_path, lines) == [
        f"tarsy.yaml:6: {PLACE}.bearer_token: repeats what headers says with Authorization; keep one of them"
    ]


OAUTH = (
    "{issuer: https://a.example/realms/sre, client_id: tarsy, client_secret: hunter2, scope: tools.read tools.write}"
)


def test_the_credentials_of_a_client_are_read_and_in_no_repr(tmp_path: Path) -> None:
    loaded = transport(tmp_path, f"type: http\nurl: https://h/mcp\noauth: {OAUTH}\n")
    assert loaded.oauth is not None
    assert (loaded.oauth.issuer, loaded.oauth.client_id) == ("https://a.example/realms/sre", "tarsy")
    assert (loaded.oauth.client_authentication, loaded.oauth.scope) == ("basic", "tools.read tools.write")
    secret = loaded.oauth.client_secret
    assert secret is not None
    assert secret.get_secret_value() == "hunter2"
    assert "hunter2" not in repr(loaded)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("type: stdio\ncommand: c\noauth: {}", "oauth: is a key of http and sse transports"),
        ("{http}\noauth: {issuer: 'https://a.example', client_id: tarsy}", "oauth.client_secret: is missing"),
        (
            "{http}\noauth: {issuer: a.example, client_id: t, client_secret: hunter2}",
            "oauth.issuer: is not the address",
        ),
        ("{http}\noauth: {issuer: 'http://a.example', client_id: t, client_secret: x}", "oauth.issuer: is http"),
        (
            "{http}\noauth: {issuer: 'https://u:hunter2@a.example', client_id: t, client_secret: x}",
            "oauth.issuer: holds",
        ),
        ("{http}\noauth: {issuer: 'https://[a', client_id: t, client_secret: x}", "oauth.issuer: is not an address"),
        (
            "{http}\noauth: {issuer: 'https://a.example', client_id: t, client_secret: ''}",
            "oauth.client_secret: is empty",
        ),
        (f"{{http}}\nbearer_token: hunter2\noauth: {OAUTH}", "oauth: repeats what bearer_token says"),
        (f"{{http}}\nheaders: {{Authorization: x}}\noauth: {OAUTH}", "oauth: repeats what headers says"),
        (
            "{http}\noauth: {issuer: 'https://a.example', client_id: t, client_secret: x, scope: 'a  b'}",
            "oauth.scope: is",
        ),
    ],
)
def test_credentials_that_cannot_be_used_are_told_without_the_secret(tmp_path: Path, lines: str, told: str) -> None:
    found = mistakes(tmp_path, lines.replace("{http}", "type: http\nurl: https://h/mcp") + "\n")
    assert [f" {PLACE}.{told}" in one for one in found] == [True]
    assert "hunter2" not in found[0]


@pytest.mark.parametrize(
    ("client", "id", "secret"),
    [
        ("", None, None),
        (", client_id: tarsy", "tarsy", None),
        (", client_id: tarsy, client_secret: hunter2", "tarsy", "hunter2"),
    ],
)
def test_a_persons_consent_needs_an_issuer_and_no_client(
    tmp_path: Path, client: str, id: str | None, secret: str | None
) -> None:
    oauth = f"{{grant: authorization_code, issuer: 'https://a.example'{client}}}"
    loaded = transport(tmp_path, f"type: http\nurl: https://h/mcp\noauth: {oauth}\n").oauth
    assert loaded is not None
    given = loaded.client_secret.get_secret_value() if loaded.client_secret is not None else None
    assert (loaded.grant, loaded.client_id, given) == ("authorization_code", id, secret)


@pytest.mark.parametrize(
    ("oauth", "told"),
    [
        ("issuer: 'https://a.example'", "client_id: is missing; add it, or write grant: authorization_code"),
        ("grant: implicit, issuer: 'https://a.example'", "grant: "),
        ("grant: authorization_code", "issuer: is missing"),
        ("grant: authorization_code, issuer: 'https://a.example', client_secret: hunter2", "client_secret: is of no"),
    ],
)
def test_mistakes_of_a_grant_are_told_at_their_keys(tmp_path: Path, oauth: str, told: str) -> None:
    found = mistakes(tmp_path, f"type: http\nurl: https://h/mcp\noauth: {{{oauth}}}\n")
    assert [one for one in found if f" {PLACE}.oauth.{told}" in one] != []
    assert [one for one in found if "hunter2" in one] == []


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("url: https://h/mcp\nverify_ssl: false", "has no effect beside verify_ssl: false; remove one of them"),
        ("url: http://h/mcp", "has no effect with an http address; write https in url, or remove it"),
    ],
)
def test_a_ca_that_nobody_would_ask_is_a_mistake(tmp_path: Path, lines: str, told: str) -> None:
    (mistake,) = mistakes(tmp_path, f"type: http\nca_file: /own-ca.pem\n{lines}\n")
    assert mistake == f"tarsy.yaml:5: {PLACE}.ca_file: {told}"


def test_an_sse_transport_has_the_keys_of_http(tmp_path: Path) -> None:
    loaded = transport(tmp_path, HTTP.replace("type: http", "type: sse"))
    assert (loaded.type, loaded.url) == ("sse", "https://grafana.example/mcp?key=in-the-address")
    assert (loaded.timeout, loaded.ca_file) == (30.0, Path("/etc/ssl/own-ca.pem"))


def test_the_era_of_the_protocol_can_be_said(tmp_path: Path) -> None:
    assert transport(tmp_path, "type: http\nurl: http://h/mcp\n").protocol == "auto"
    assert transport(tmp_path, "type: stdio\ncommand: a\nprotocol: legacy\n").protocol == "legacy"
    assert mistakes(tmp_path, "type: http\nurl: http://h/mcp\nprotocol: old\n") == [
        f"tarsy.yaml:6: {PLACE}.protocol: is not accepted; it should be 'auto', 'legacy' or 'modern'"
    ]
    assert mistakes(tmp_path, "type: sse\nurl: http://h/sse\nprotocol: modern\n") == [
        f"tarsy.yaml:6: {PLACE}.protocol: is newer than the transport sse; remove it, or write type: http"
    ]


def test_a_program_gets_the_variables_that_are_named_and_a_folder(tmp_path: Path) -> None:
    usual = transport(tmp_path, "type: stdio\ncommand: npx\n")
    assert (usual.inherit, usual.cwd) == (("PATH", "HOME"), None)
    chosen = transport(tmp_path, "type: stdio\ncommand: npx\ninherit: [PATH, SSL_CERT_FILE]\ncwd: /srv\n")
    assert (chosen.inherit, chosen.cwd) == (("PATH", "SSL_CERT_FILE"), Path("/srv"))
    assert mistakes(tmp_path, 'type: stdio\ncommand: npx\ninherit: ["TOKEN=hunter2"]\ncwd: srv\n') == [
        f"tarsy.yaml:6: {PLACE}.inherit: holds what cannot be the name of a variable; "
        "write names such as LANG, without values",
        f"tarsy.yaml:7: {PLACE}.cwd: is not a whole path; write it from the root, such as /var/lib/tools",
    ]


@pytest.mark.parametrize(
    "lines",
    [
        'type: http\nurl: http://h/mcp\nheaders: {X-Session: "{{.SESSION_ID}}"}\n',
        'type: sse\nurl: http://h/mcp\nbearer_token: "{{ .SESSION_ID }}"\n',
        'type: http\nurl: http://h/mcp\nsession_cleanup_url: "http://h/sessions/{{.SESSION_ID}}"\n',
        'type: stdio\ncommand: a\nargs: ["--session={{.SESSION_ID}}"]\n',
        'type: stdio\ncommand: a\nenv: {SESSION: "{{.SESSION_ID}}"}\n',
    ],
)
def test_a_place_for_the_session_means_one_session_for_each_investigation(tmp_path: Path, lines: str) -> None:
    assert server(tmp_path, lines).isolation_in_use == "session"


def test_isolation_can_be_asked_for_without_a_place_for_the_session(tmp_path: Path) -> None:
    lines = "type: http\nurl: http://h/mcp\n"
    assert server(tmp_path, lines).isolation_in_use == "shared"
    assert server(tmp_path, lines, "isolation: session\n").isolation_in_use == "session"


def test_a_shared_server_that_is_told_the_session_is_a_mistake(tmp_path: Path) -> None:
    lines = 'type: http\nurl: http://h/mcp\nheaders: {X-Session: "{{.SESSION_ID}}"}\n'
    with pytest.raises(InvalidConfigError) as caught:
        server(tmp_path, lines, "isolation: shared\n")
    assert str(caught.value).splitlines() == [
        "tarsy.yaml:7: mcp_servers.grafana.isolation: is shared, but the transport tells the server which session it "
        "is; remove isolation, or {{.SESSION_ID}}"
    ]


def test_a_tool_that_is_declared_both_harmless_and_harmful_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfigError) as caught:
        server(tmp_path, "type: stdio\ncommand: a\n", "repeatable_tools: [a, b]\nunrepeatable_tools: [b]\n")
    assert str(caught.value).splitlines() == [
        "tarsy.yaml:7: mcp_servers.grafana.unrepeatable_tools: names a tool that repeatable_tools names too; "
        "keep it in one of them"
    ]


def test_an_unknown_type_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    assert mistakes(tmp_path, "type: htp\nurl: http://h/mcp\n") == [
        f"tarsy.yaml:4: {PLACE}.type: is not accepted; it should be 'stdio', 'http' or 'sse'"
    ]


def test_tools_that_change_something_are_allowed_by_names_patterns_or_all(tmp_path: Path) -> None:
    stdio = "type: stdio\ncommand: a\n"
    assert server(tmp_path, stdio, "").allow is None
    assert server(tmp_path, stdio, "allow: []\n").allow == ()
    assert server(tmp_path, stdio, "allow: [pods_delete, 'rollout_*']\n").allow == ("pods_delete", "rollout_*")
    assert server(tmp_path, stdio, "allow: all\n").allow == ("*",)


@pytest.mark.parametrize("value", ["true", "pods_delete", "['']"])
def test_what_is_no_list_of_tools_is_a_mistake(tmp_path: Path, value: str) -> None:
    with pytest.raises(InvalidConfigError, match="allow"):
        server(tmp_path, "type: stdio\ncommand: a\n", f"allow: {value}\n")


def test_a_tool_cannot_be_declared_to_change_nothing_and_something(tmp_path: Path) -> None:
    with pytest.raises(InvalidConfigError, match="names a tool that read_only_tools names too"):
        server(tmp_path, "type: stdio\ncommand: a\n", "read_only_tools: [a]\nunrepeatable_tools: [a]\n")


def test_a_form_of_a_server_is_declined_unless_the_operator_says_otherwise(tmp_path: Path) -> None:
    stdio = "type: stdio\ncommand: a\n"
    assert server(tmp_path, stdio, "").elicitation == "decline"
    assert server(tmp_path, stdio, "elicitation: accept_defaults\n").elicitation == "accept_defaults"
