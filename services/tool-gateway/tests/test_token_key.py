"""The setting of the keys that encrypt logins."""

import pytest
from pydantic import SecretStr, ValidationError

from tarsy_tool_gateway.settings import TokenKeySettings, ToolGatewaySettings

ONE, OTHER = "0123456789abcdef", "fedcba9876543210"


def test_keys_stand_in_their_order_with_commas_between_them() -> None:
    settings = TokenKeySettings(token_key=SecretStr(f"{ONE}, {OTHER}\n"))
    assert settings.token_keys == [ONE.encode(), OTHER.encode()]
    assert TokenKeySettings(token_key=SecretStr("")).token_keys == []
    assert ONE not in repr(settings)


@pytest.mark.parametrize("settings", [TokenKeySettings, ToolGatewaySettings])
@pytest.mark.parametrize("keys", ["short", f"{ONE},short"])
def test_a_key_that_could_be_guessed_is_a_mistake(settings: type[TokenKeySettings], keys: str) -> None:
    with pytest.raises(ValidationError, match="shorter than 16 bytes"):
        settings(token_key=SecretStr(keys))
