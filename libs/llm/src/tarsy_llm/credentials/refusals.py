"""Sentences of token servers and of the clouds' libraries, which may quote what they were sent."""

import re

from tarsy_llm.http.http_errors import sentence
from tarsy_llm.protocol import LlmCallError

TOKENS = re.compile(
    r"eyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?|ya29\.[\w.-]+|(?<=secret=)\S+|(?<=assertion=)\S+|(?<=_token['\"]: ['\"])[^'\"]+"
)


def no_credentials(cloud: str, detail: object) -> LlmCallError:
    """Nobody gives any, or the token server refuses: somebody has to change something."""
    return LlmCallError(_sentence(f"{cloud} gives no credentials", detail), kind="credentials")


def token_server_failed(cloud: str, detail: object) -> LlmCallError:
    """It may give some later."""
    return LlmCallError(
        _sentence(f"the token server of {cloud} cannot be reached or failed", detail), kind="provider_error"
    )


def _sentence(what: str, detail: object) -> str:
    return sentence(what, TOKENS.sub("[token]", str(detail)))
