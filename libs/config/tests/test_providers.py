from collections.abc import Callable
from pathlib import Path

import pytest

from tarsy_config.checks.keys import keys_are_set
from tarsy_config.config import Config
from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config

type Load = Callable[..., Config]

MAIN = """\
defaults: {llm_provider: %s}
agents: {A: {}}
agent_chains:
  k: {alert_types: [kubernetes], stages: [{name: s, agents: [{name: A}]}]}
llm_providers:
  scripted: {type: scripted, script: script.yaml}
  gemini: {type: google, model: gemini-3-flash}
  openai: {type: openai, model: gpt-5}
  claude: {type: anthropic, model: claude-sonnet, api_key_env: TEAM_KEY}
%s
"""


@pytest.fixture
def load(tmp_path: Path) -> Load:
    (tmp_path / "script.yaml").write_text("turns: []")

    def load(*, provider: str = "scripted", more: str = "", **environ: str) -> Config:
        (tmp_path / "tarsy.yaml").write_text(MAIN % (provider, more))
        return load_config(tmp_path, environ, also=(keys_are_set,))

    return load


def asked(config: Config) -> str:
    return config.chain_for("kubernetes").stages[0].agents[0].llm_provider


def mistakes(load: Load, **what: str) -> list[str]:
    with pytest.raises(InvalidConfigError) as caught:
        load(**what)
    return str(caught.value).splitlines()


FIRST = "[gemini, openai, claude, scripted]"


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, "scripted"),
        ({"GEMINI_API_KEY": "k"}, "gemini"),
        ({"GOOGLE_API_KEY": "k", "OPENAI_API_KEY": "k"}, "gemini"),
        ({"OPENAI_API_KEY": "k", "TEAM_KEY": "k"}, "openai"),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:11434/v1"}, "openai"),
        ({"ANTHROPIC_BASE_URL": "http://gateway.of.ours"}, "claude"),
        ({"TEAM_KEY": "k"}, "claude"),
        ({"ANTHROPIC_API_KEY": "the file names another variable"}, "scripted"),
        ({"GEMINI_API_KEY": ""}, "scripted"),
    ],
)
def test_of_several_default_providers_the_first_with_a_key_is_asked(
    load: Load, environ: dict[str, str], expected: str
) -> None:
    config = load(provider=FIRST, **environ)
    assert asked(config) == expected
    assert config.chain_for("kubernetes").scripted == (expected == "scripted")


def test_key_and_address_come_from_the_usual_variables(load: Load) -> None:
    config = load(GOOGLE_API_KEY="first", GEMINI_API_KEY="second", OPENAI_BASE_URL="http://local/v1")
    gemini, openai = config.llm_providers["gemini"], config.llm_providers["openai"]
    assert gemini.api_key is not None
    assert gemini.api_key.get_secret_value() == "first"
    assert (gemini.base_url, openai.base_url, openai.api_key) == (None, "http://local/v1", None)


def test_what_the_file_says_wins_over_the_environment(load: Load) -> None:
    own = '  own: {type: openai, model: m, base_url: "https://own/v1", api_key: "{{.OWN}}"}'
    provider = load(more=own, OWN="from the file", OPENAI_API_KEY="usual", OPENAI_BASE_URL="http://usual")
    own_provider = provider.llm_providers["own"]
    assert own_provider.api_key is not None
    assert (own_provider.api_key.get_secret_value(), own_provider.base_url) == ("from the file", "https://own/v1")


def test_keys_are_never_in_a_repr(load: Load) -> None:
    assert "planted" not in repr(load(GEMINI_API_KEY="planted"))


def test_a_provider_that_is_asked_must_have_a_key(load: Load) -> None:
    assert mistakes(load, provider="gemini") == [
        "tarsy.yaml:7: llm_providers.gemini: has no API key; "
        "set GOOGLE_API_KEY or GEMINI_API_KEY in the environment of this service"
    ]
    assert mistakes(load, provider="claude") == [
        "tarsy.yaml:9: llm_providers.claude: has no API key; set TEAM_KEY in the environment of this service"
    ]


def test_a_provider_that_nobody_asks_needs_no_key(load: Load) -> None:
    assert asked(load(provider="scripted")) == "scripted"


@pytest.mark.parametrize(
    ("provider", "mistake"),
    [
        ("{type: google}", "names no model; add model: NAME, as the provider calls it"),
        ("{type: google, model: m, script: script.yaml}", "is not a key of a provider of type google; remove it"),
        ("{type: scripted, script: script.yaml, model: m}", "is not a key of a provider of type scripted; remove it"),
        ("{type: scripted}", "names no script; add script: PATH"),
        ("{type: openai, model: m, base_url: localhost}", "is not an address; write it as https://HOST/PATH"),
        (
            "{type: grok, model: m}",
            "it should be 'scripted', 'google', 'openai', 'anthropic', 'xai', 'vertexai', 'azure' or 'bedrock'",
        ),
        ("{type: openai, model: m, region: eu-west-1}", "is not a key of a provider of type openai; remove it"),
        ("{type: bedrock, model: m, project_env: P}", "is not a key of a provider of type bedrock; remove it"),
        ("{type: scripted, script: script.yaml, profile: p}", "is not a key of a provider of type scripted; remove it"),
    ],
)
def test_keys_have_to_fit_the_type(load: Load, provider: str, mistake: str) -> None:
    (found,) = mistakes(load, more=f"  other: {provider}")
    assert found.startswith("tarsy.yaml:10: llm_providers.other")
    assert found.endswith(mistake)


def test_several_scripts_are_checked_one_by_one(load: Load) -> None:
    (found,) = mistakes(load, more="  many: {type: scripted, script: [script.yaml, nowhere.yaml]}")
    assert found.startswith("tarsy.yaml:10: llm_providers.many.script[1]: there is no file nowhere.yaml")


VERTEX = (
    "  cloud: {type: vertexai, model: claude-sonnet-5, project_env: OUR_PROJECT, location: eu, credentials_env: FILE}"
)


def test_what_a_cloud_needs_comes_from_the_variables_that_are_named(load: Load) -> None:
    provider = load(more=VERTEX, OUR_PROJECT="shop", GOOGLE_CLOUD_PROJECT="other", FILE="/account.json")
    cloud = provider.llm_providers["cloud"]
    assert cloud.cloud == {"project": "shop", "location": "eu", "credentials": "/account.json"}
    assert (cloud.usable, cloud.known_context_tokens) == (True, 200_000)
    assert "account.json" not in repr(cloud)


@pytest.mark.parametrize(
    ("more", "missing"),
    [
        (VERTEX, "has no project; set OUR_PROJECT in the environment of this service"),
        ("  cloud: {type: vertexai, model: m, project: p}", "has no location; set GOOGLE_CLOUD_LOCATION in"),
        ("  cloud: {type: bedrock, model: m}", "has no region; set AWS_REGION or AWS_DEFAULT_REGION in"),
        ("  cloud: {type: azure, model: m, api_key: k}", "has no base_url; set AZURE_OPENAI_ENDPOINT in"),
    ],
)
def test_what_a_cloud_lacks_is_told_with_its_variable(load: Load, more: str, missing: str) -> None:
    (found,) = mistakes(load, provider="cloud", more=more)
    assert found.startswith(f"tarsy.yaml:10: llm_providers.cloud: {missing}")


@pytest.mark.parametrize(
    ("more", "environ", "expected"),
    [
        ("{type: bedrock, model: m}", {"AWS_DEFAULT_REGION": "eu-west-1"}, {"region": "eu-west-1"}),
        ("{type: bedrock, model: m, region: r, profile: p}", {"AWS_REGION": "x"}, {"region": "r", "profile": "p"}),
        ("{type: azure, model: m, base_url: https://a.example}", {"OPENAI_API_VERSION": "v"}, {"api_version": "v"}),
    ],
)
def test_a_cloud_needs_no_key(load: Load, more: str, environ: dict[str, str], expected: dict[str, str]) -> None:
    config = load(provider="cloud", more=f"  cloud: {more}", **environ)
    assert asked(config) == "cloud"
    assert config.llm_providers["cloud"].cloud == expected
