"""A company's authorities are trusted beside those of the system, by each library's own variable."""

import os
import ssl
import subprocess
import sys
from pathlib import Path

import pytest

from tarsy_egress.authorities import FILE_VARIABLES, trust_authorities
from tarsy_egress.child_environment import egress_variables
from tarsy_egress.errors import AuthoritiesError
from tarsy_testing.servers.certificates import Authority


@pytest.fixture
def company(tmp_path: Path) -> Path:
    return Authority(tmp_path, "company").file


def names_in(file: str) -> set[str]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(file)
    return {str(dict(row).get("commonName")) for found in context.get_ca_certs() for row in found["subject"]}  # type: ignore[arg-type]


def test_those_of_the_system_are_still_trusted(company: Path) -> None:
    environ: dict[str, str] = {}
    trust_authorities(str(company), environ)
    usual = len(ssl.create_default_context().get_ca_certs())
    found = names_in(environ["SSL_CERT_FILE"])
    assert "company" in found
    assert len(found) >= min(usual, 2)
    assert {environ[name] for name in FILE_VARIABLES} == {environ["SSL_CERT_FILE"]}


def test_those_that_somebody_named_are_taken_over_and_other_variables_stay(company: Path, tmp_path: Path) -> None:
    department = Authority(tmp_path, "department").file
    environ = {"SSL_CERT_FILE": str(department), "AWS_CA_BUNDLE": "/etc/aws.pem"}
    trust_authorities(str(company), environ)
    assert names_in(environ["SSL_CERT_FILE"]) == {"company", "department"}
    assert environ["AWS_CA_BUNDLE"] == "/etc/aws.pem"


def test_a_process_that_inherits_them_writes_no_second_file(company: Path) -> None:
    environ: dict[str, str] = {}
    trust_authorities(str(company), environ)
    before = dict(environ)
    trust_authorities(str(company), environ)
    assert environ == before


def test_the_file_goes_with_its_process(company: Path) -> None:
    code = (
        "import sys, os; from tarsy_egress.authorities import trust_authorities; environ = {};"
        "trust_authorities(sys.argv[1], environ); print(environ['SSL_CERT_FILE'])"
    )
    made = subprocess.run([sys.executable, "-c", code, str(company)], capture_output=True, text=True, check=True)
    assert made.stdout.strip()
    assert not os.path.exists(made.stdout.strip())


@pytest.mark.parametrize(("content", "reason"), [("no certificate", "is no PEM file"), (None, "cannot be read")])
def test_a_file_without_certificates_is_told(tmp_path: Path, content: str | None, reason: str) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_text(content, "utf-8")
    with pytest.raises(AuthoritiesError, match=reason):
        trust_authorities(str(file), {})


@pytest.mark.parametrize(
    ("ours", "given"),
    [
        ({}, {}),
        ({"PATH": "/bin", "OPENAI_API_KEY": "k"}, {}),
        (
            {"HTTPS_PROXY": "http://p:1", "no_proxy": "inside"},
            {
                "HTTPS_PROXY": "http://p:1",
                "https_proxy": "http://p:1",
                "NO_PROXY": "inside",
                "no_proxy": "inside",
                "NODE_USE_ENV_PROXY": "1",
            },
        ),
        (
            {"SSL_CERT_FILE": "/ca", "NODE_EXTRA_CA_CERTS": "/ca", "AWS_CA_BUNDLE": ""},
            {"SSL_CERT_FILE": "/ca", "NODE_EXTRA_CA_CERTS": "/ca"},
        ),
    ],
)
def test_a_program_that_we_start_finds_the_same_way_out(ours: dict[str, str], given: dict[str, str]) -> None:
    assert egress_variables(ours) == given
