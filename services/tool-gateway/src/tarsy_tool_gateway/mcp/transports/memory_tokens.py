"""Tokens and client of one flow or one session, as the SDK's providers keep them."""

from mcp.shared.auth import OAuthClientInformationFull, OAuthToken


class MemoryTokens:
    """A `TokenStorage`. `client`: one that is known already, or was registered since."""

    def __init__(self, client: OAuthClientInformationFull | None = None) -> None:
        self.client = client
        self.token: OAuthToken | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.token

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.token = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info
