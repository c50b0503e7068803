"""What looks like a placeholder and is none: nobody hides a secret behind the word."""

import pytest

from tarsy_masking.masker import Masker

MASKER = Masker.default(bytes(range(32))).for_session("s-1")


@pytest.mark.parametrize(
    "text",
    [
        "password=MASKED_HUNTER2SECRET",
        "password: MASKED_PASSWORD_hunter2secret",
        'X-Api-Token: ["MASKED_TOKEN_HUNTER2SECRET"]',
        '{"x_api_token": [MASKED_HUNTER2SECRET]}',
        "authorization: Slice([MASKED_HUNTER2SECRETHUNTER2SECRET])",
        "password=MASKED_PASSWORD]hunter2secret",
    ],
)
def test_a_value_that_begins_like_a_placeholder_is_masked(text: str) -> None:
    assert "hunter2secret" not in MASKER.mask(text).lower()


@pytest.mark.parametrize(
    "text",
    [
        'x-auth-token: ["fake-fake-fake"]',
        '{"authorization":["fakefakefakefakefake"]}',
        '-> authorization: Slice(["fakefakefakefakefake"])',
        'cookie: [["a=fake; b=fake"]]',
        "set $token [hunter2hunter2]",
        "x_api_token: [hunter2hunter2]",
        "authorization: [fakefakefakefakefake]",
        "metadata: authorization=(fakefakefakefakefake)",
        'request.header.authorization: ["fakefakefakefakefake"]',
        "request.header.x-token: [fakefakefakefakefake]",
    ],
)
def test_a_placeholder_that_stands_in_a_list_stays(text: str) -> None:
    once = MASKER.mask(text)
    assert "[MASKED_" in once
    assert MASKER.mask(once) == once
