"""`tarsy topics msk-token`: a token for Amazon MSK, which knows users of AWS (IAM) by a signed address.

MSK takes it by OAUTHBEARER: the base64 of a presigned request to connect, good for a quarter of an hour. AWS's own
package for it needs boto3 and the AWS CLI; botocore, which signs for Bedrock here, signs this, too.
"""

import base64
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

import typer

from tarsy_cli.console.terminal import fail

if TYPE_CHECKING:
    from botocore.credentials import ReadOnlyCredentials

SERVICE = "kafka-cluster"
ACTION = {"Action": f"{SERVICE}:Connect"}
USER_AGENT = {"User-Agent": "tarsy"}
SECONDS = 900
CONNECT_SECONDS, READ_SECONDS = 2, 4
"""Less than a token command has: its own sentence is better than that it took too long."""


def msk_token(
    region: Annotated[str, typer.Option(envvar=["AWS_REGION", "AWS_DEFAULT_REGION"], help="that of the cluster")],
    profile: Annotated[str, typer.Option(envvar="AWS_PROFILE", help="of AWS's configuration", show_default=False)] = "",
) -> None:
    """Print a token for Amazon MSK with IAM, as TARSY_KAFKA_TOKEN_COMMAND wants it.

    Credentials come from where AWS's own tools have them: environment, profile, role of the pod or of the machine.
    """
    typer.echo(sign_token(region, _find_credentials(region, profile)))


def sign_token(region: str, credentials: "ReadOnlyCredentials") -> str:
    """The user agent is added to what was signed, as MSK has it."""
    from botocore.auth import SigV4QueryAuth
    from botocore.awsrequest import AWSRequest

    request = AWSRequest("GET", f"https://kafka.{region}.amazonaws.com/", params=ACTION)
    SigV4QueryAuth(credentials, SERVICE, region, expires=SECONDS).add_auth(request)
    signed = f"{request.url}&{urlencode(USER_AGENT)}"
    return base64.urlsafe_b64encode(signed.encode()).decode().rstrip("=")


def _find_credentials(region: str, profile: str) -> "ReadOnlyCredentials":
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError
    from botocore.session import Session

    try:
        session = Session(profile=profile or None)
        session.set_config_variable("region", region)
        session.set_default_client_config(
            Config(connect_timeout=CONNECT_SECONDS, read_timeout=READ_SECONDS, retries={"total_max_attempts": 1})
        )
        found = session.get_credentials()
        if found is not None:
            return found.get_frozen_credentials()
    except (BotoCoreError, ClientError) as problem:
        raise fail(f"AWS gives no credentials: {problem}") from None
    raise fail("AWS gives no credentials: neither environment, profile, pod nor machine have any.")
