"""Refusals of OAUTHBEARER tokens, which aiokafka takes for successes."""

from functools import wraps

from aiokafka.conn import AIOKafkaConnection, OAuthAuthenticator


class _RefusalNoticing(OAuthAuthenticator):  # type: ignore[misc]
    """RFC 7628: a server that refuses a token answers with the reason, and ends the exchange after a control-A.

    aiokafka takes that answer for a success. Its clients then see a cluster without brokers, and wait for some.
    """

    async def step(self, payload: bytes | None) -> tuple[bytes, bool] | None:
        answer: tuple[bytes, bool] | None = (b"\x01", True) if payload else await super().step(payload)
        return answer


_AUTHENTICATOR = AIOKafkaConnection.authenticator_oauth


def notice_refused_tokens() -> None:
    """From now on, connections of this process raise SaslAuthenticationFailed when their token is refused."""

    @wraps(_AUTHENTICATOR)
    def authenticator(connection: AIOKafkaConnection) -> OAuthAuthenticator:
        return _RefusalNoticing(sasl_oauth_token_provider=connection._sasl_oauth_token_provider)

    AIOKafkaConnection.authenticator_oauth = authenticator
