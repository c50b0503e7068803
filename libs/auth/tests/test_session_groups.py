"""Session groups: which sessions a key or a token may see."""

from pathlib import Path

import pytest
from openid_provider import TOKENS, Clock, OpenIdProvider, bearer, claims_of, token_of
from pydantic import JsonValue

from tarsy_auth.api_keys import digest_of, new_key
from tarsy_auth.auth_config import AuthConfig
from tarsy_auth.auth_file import InvalidAuthFileError, read_auth_file
from tarsy_auth.authenticator import authenticator
from tarsy_auth.identity import Identity
from tarsy_auth.session_groups import SessionGroup, labels_of

KEY = new_key(lambda count: bytes(count))
GROUPS: dict[str, JsonValue] = {
    "shop": {"namespace": ["shop", "storefront"], "cluster": "eu-1"},
    "payments": {"namespace": "payments"},
    "sre": {"team": ["sre", "platform"], "app.kubernetes.io/owner": "ann"},
}
SHOP = SessionGroup("shop", {"namespace": ("shop", "storefront"), "cluster": ("eu-1",)})
SRE = SessionGroup("sre", {"team": ("sre", "platform"), "app.kubernetes.io/owner": ("ann",)})
PAYMENTS = SessionGroup("payments", {"namespace": ("payments",)})
CLAIM: JsonValue = {
    "claim": "teams",
    "values": {"everybody": "all", "shop": ["shop"], "finance": ["payments", "shop"]},
}
WRONG = f"""\
session_groups:
  shop: {{namespace: shop, team: a, Owner: b, a b: c}}
  all: {{cluster: eu-1}}
  none: {{}}
keys:
  - name: one
    role: viewer
    sha256: {digest_of("one")}
    session_groups: [shop, pay]
  - name: two
    role: operator
    sha256: {digest_of("two")}
    session_groups: [shop]
  - name: three
    role: viewer
    sha256: {digest_of("three")}
    session_groups: shop
tokens:
  issuer: https://a.example
  audience: tarsy
  jwks: https://a.example/certs
  roles: {{claim: groups, values: {{sre: viewer}}}}
  session_groups: {{claim: groups, value: {{a: [b]}}}}
"""


async def by_key(**entry: JsonValue) -> Identity:
    fields = {"name": "one", "role": "responder", "sha256": digest_of(KEY), **entry}
    config = AuthConfig.model_validate({"keys": [fields], "session_groups": GROUPS})
    found = await authenticator(config, OpenIdProvider().fetch, Clock())(bearer(KEY))
    assert isinstance(found, Identity)
    return found


async def by_token(teams: JsonValue, groups: str = "sre", claim: JsonValue = CLAIM) -> Identity:
    tokens = {**TOKENS, "session_groups": claim}
    config = AuthConfig.model_validate({"tokens": tokens, "session_groups": GROUPS})
    token = token_of(claims_of(teams=teams, groups=[groups]))
    found = await authenticator(config, OpenIdProvider().fetch, Clock())(bearer(token))
    assert isinstance(found, Identity)
    return found


async def test_a_group_may_name_labels_that_senders_chose() -> None:
    assert (await by_key(session_groups=["sre"])).session_groups == (SRE,)


async def test_a_key_without_groups_sees_all_sessions_and_one_with_them_only_those() -> None:
    assert (await by_key()).session_groups is None
    assert (await by_key(session_groups="all")).session_groups is None
    assert (await by_key(session_groups=["payments", "shop"])).session_groups == (PAYMENTS, SHOP)


@pytest.mark.parametrize(
    ("teams", "groups"),
    [
        ("shop", (SHOP,)),
        (["finance", "shop", "unknown"], (PAYMENTS, SHOP)),
        (["shop", "everybody"], None),
        (["unknown", 7], ()),
        (None, ()),
    ],
)
async def test_a_token_sees_the_groups_of_all_its_values_and_nothing_without_any(
    teams: JsonValue, groups: tuple[SessionGroup, ...] | None
) -> None:
    assert (await by_token(teams)).session_groups == groups


async def test_an_operator_sees_all_sessions_whatever_his_token_says() -> None:
    assert (await by_token("shop", groups="platform")).session_groups is None


def test_labels_are_sent_as_lists() -> None:
    assert labels_of([SHOP, PAYMENTS]) == [
        {"namespace": ["shop", "storefront"], "cluster": ["eu-1"]},
        {"namespace": ["payments"]},
    ]


def test_what_is_wrong_about_groups_is_said_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "auth.yaml"
    file.write_text(WRONG, "utf-8")
    file.chmod(0o640)
    with pytest.raises(InvalidAuthFileError) as refusal:
        read_auth_file(file)
    assert str(refusal.value).replace(str(file), "auth.yaml").splitlines() == [
        "auth.yaml:2: session_groups.shop.Owner: is no name of a label, which has small letters only; write owner",
        "auth.yaml:2: session_groups.shop.a b: is no name of a label; it has 1 to 100 characters, "
        "without blanks and `=`",
        "auth.yaml:3: session_groups.all: is what stands for every session; call the group otherwise than all",
        "auth.yaml:4: session_groups.none: is empty",
        "auth.yaml:9: keys[0].session_groups[1]: is no name in session_groups; known here: shop, all, none",
        "auth.yaml:13: keys[1].session_groups: limits nothing, as the role operator sees every session; leave it out",
        "auth.yaml:17: keys[2].session_groups: is no list of session groups, and not `all`",
        "auth.yaml:23: tokens.session_groups.values: is missing",
        "auth.yaml:23: tokens.session_groups.value: is unknown; did you mean values?",
    ]
