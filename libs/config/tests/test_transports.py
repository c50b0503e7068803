"""How an MCP server is reached: each type has its own keys, and what is secret stays so."""

from pathlib import Path

import pytest

from tarsy_config.load import load_config
from tarsy_config.mistakes import ConfigInvalid
from tarsy_config.transports import Transport

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


def transport(folder: Path, lines: str) -> Transport:
    """The lines of the transport begin at line 4."""
    indented = "".join(f"      {line}\n" for line in lines.splitlines())
    text = f"mcp_servers:\n  grafana:\n    transport:\n{indented}{AROUND}"
    (folder / "tarsy.yaml").write_text(text, encoding="utf-8")
    return load_config(folder, ENVIRON).mcp_servers["grafana"].transport


def mistakes(folder: Path, lines: str) -> list[str]:
    with pytest.raises(ConfigInvalid) as caught:
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
        f"tarsy.yaml:6: {PLACE}.url: is a key of http transports; remove it, or write type: http",
        f"tarsy.yaml:7: {PLACE}.verify_ssl: is a key of http transports; remove it, or write type: http",
    ]


@pytest.mark.parametrize(("kind", "key"), [("http", "url"), ("stdio", "command")])
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
        ("url: https://me:hunter2@h/mcp", "url: holds a user or password"),
        ("headers: {'X Org': a}", "headers: holds what cannot be the name of a header"),
        ('headers: {X-A: a, X-Org: ""}', "headers.X-Org: is empty"),
        ('headers: {X-Org: "a\\nX-Admin: hunter2"}', "headers.X-Org: holds what no header can carry"),
        (
            'headers: {X-Session: "{{.SESSION_ID}}"}',
            "headers.X-Session: {{.SESSION_ID}} in what is sent to",
        ),
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


def test_a_token_beside_a_header_for_authorization_is_a_mistake(tmp_path: Path) -> None:
    lines = "type: http\nurl: http://h/mcp\nbearer_token: hunter2\nheaders: {authorization: Basic abc}\n"
    assert mistakes(tmp_path, lines) == [
        f"tarsy.yaml:6: {PLACE}.bearer_token: says a second time what headers says with Authorization; keep one of them"
    ]


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


def test_sse_comes_later(tmp_path: Path) -> None:
    assert mistakes(tmp_path, "type: sse\nurl: http://h/sse\n") == [
        f"tarsy.yaml:4: {PLACE}.type: the transport sse comes with a later version; use http or stdio"
    ]


def test_an_unknown_type_is_told_with_those_that_there_are(tmp_path: Path) -> None:
    assert mistakes(tmp_path, "type: htp\nurl: http://h/mcp\n") == [
        f"tarsy.yaml:4: {PLACE}.type: is not accepted; it should be 'stdio' or 'http'"
    ]
