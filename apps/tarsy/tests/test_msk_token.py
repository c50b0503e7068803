"""`tarsy topics msk-token`: what it signs is what MSK checks, and where there is nothing to sign with it says so."""

import base64
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from botocore.auth import SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from typer.testing import CliRunner, Result

from tarsy_cli.app import cli

KEYS = {"AWS_ACCESS_KEY_ID": "AKIAPLANTED", "AWS_SECRET_ACCESS_KEY": "planted", "AWS_SESSION_TOKEN": "of-a-role"}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> "Runner":
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ROLE_ARN", *KEYS):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    return Runner()


class Runner:
    def __call__(self, *arguments: str, **environ: str) -> Result:
        return CliRunner().invoke(cli, ["topics", "msk-token", *arguments], env=environ)


def opened(token: str) -> str:
    assert "=" not in token
    return base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode()


def test_a_token_is_a_signed_address_that_ends_in_a_quarter_of_an_hour(run: Runner) -> None:
    result = run("--region", "eu-west-1", **KEYS)
    assert result.exit_code == 0, result.output
    address = urlsplit(opened(result.stdout.strip()))
    query = {name: values[0] for name, values in parse_qs(address.query).items()}
    assert (address.scheme, address.netloc, address.path) == ("https", "kafka.eu-west-1.amazonaws.com", "/")
    assert (query["Action"], query["X-Amz-Expires"], query["User-Agent"]) == ("kafka-cluster:Connect", "900", "tarsy")
    assert query["X-Amz-Credential"].endswith("/eu-west-1/kafka-cluster/aws4_request")
    assert query["X-Amz-Security-Token"] == "of-a-role"


def test_its_signature_is_that_of_the_address_without_the_user_agent(run: Runner) -> None:
    address = opened(run("--region", "eu-west-1", **KEYS).stdout.strip())
    signed, _, agent = address.rpartition("&")
    assert agent == "User-Agent=tarsy"
    bare, _, signature = signed.rpartition("&X-Amz-Signature=")
    request = AWSRequest("GET", bare)
    request.context["timestamp"] = parse_qs(urlsplit(bare).query)["X-Amz-Date"][0]
    signer = SigV4QueryAuth(Credentials("AKIAPLANTED", "planted", "of-a-role"), "kafka-cluster", "eu-west-1")
    canonical = signer.canonical_request(request)
    assert signer.signature(signer.string_to_sign(request, canonical), request) == signature


@pytest.mark.parametrize("variable", ["AWS_REGION", "AWS_DEFAULT_REGION"])
def test_a_pod_of_aws_says_its_region_itself(run: Runner, variable: str) -> None:
    result = run(**KEYS, **{variable: "us-east-1"})
    assert "kafka.us-east-1.amazonaws.com" in opened(result.stdout.strip())


@pytest.mark.timing
def test_without_credentials_it_says_so_in_time(run: Runner) -> None:
    began = time.monotonic()
    result = run("--region", "eu-west-1")
    assert result.exit_code == 1
    assert "AWS gives no credentials" in result.output
    assert time.monotonic() - began < 60
