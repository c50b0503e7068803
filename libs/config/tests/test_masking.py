"""What an operator adds to the masking, and what he may not take from it."""

from pathlib import Path

import pytest

from tarsy_config.config import Config
from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config

REST = """
agents: {A: {mcp_servers: [db]}}
agent_chains:
  one: {alert_types: [kubernetes], stages: [{name: look, agents: [{name: A, llm_provider: scripted}]}]}
llm_providers: {scripted: {type: scripted, script: script.yaml}}
"""
TRANSPORT = '{type: stdio, command: "true"}'


def loaded(folder: Path, text: str) -> Config:
    (folder / "tarsy.yaml").write_text(text + REST, "utf-8")
    (folder / "script.yaml").touch()
    return load_config(folder, {})


def of_server(masking: str) -> str:
    return f"mcp_servers:\n  db:\n    transport: {TRANSPORT}\n    data_masking:\n{masking}"


def test_nothing_is_added_to_results_and_the_security_group_to_alerts_unless_said_otherwise(tmp_path: Path) -> None:
    config = loaded(tmp_path, f"mcp_servers: {{db: {{transport: {TRANSPORT}}}}}")
    masking = config.mcp_servers["db"].data_masking
    assert (masking.names, masking.custom, config.defaults.alert_masking.names) == ((), (), ("security",))


def test_groups_patterns_and_custom_patterns_are_taken(tmp_path: Path) -> None:
    masking = """\
      enabled: true
      pattern_groups: [kubernetes, cloud]
      patterns: [email, base64_short]
      custom_patterns:
        - {pattern: 'badge-(\\d+)', replacement: 'badge-[MASKED_BADGE]', description: Badges}
        - {pattern: "(?i)cust[0-9]{4}", replacement: "[MASKED_CUSTOMER]"}
"""
    found = loaded(tmp_path, of_server(masking)).mcp_servers["db"].data_masking
    assert found.names == ("kubernetes", "cloud", "email", "base64_short")
    assert [custom.pattern for custom in found.custom] == [r"badge-(\d+)", "(?i)cust[0-9]{4}"]


def test_whoever_switches_masking_off_is_told_that_the_built_in_set_stays(tmp_path: Path) -> None:
    masking = of_server("      {enabled: false, patterns: [email], custom_patterns: [{pattern: x, replacement: y}]}")
    config = loaded(tmp_path, f"{masking}\ndefaults:\n  alert_masking:\n    enabled: false\n")
    found = config.mcp_servers["db"].data_masking
    assert (found.names, found.custom, config.defaults.alert_masking.names) == ((), (), ())
    sentence = "leaves out what is named beside it: what is built in is masked always"
    assert [str(note) for note in config.notes] == [
        f"tarsy.yaml:5: mcp_servers.db.data_masking.enabled: {sentence}",
        f"tarsy.yaml:8: defaults.alert_masking.enabled: {sentence}",
    ]


def test_all_that_is_wrong_is_told_at_once_with_its_line_and_what_would_be_right(tmp_path: Path) -> None:
    masking = """\
      enabled: sometimes
      pattern_groups: [kubernets, email]
      patterns: [emial]
      custom_patterns:
        - {pattern: 'secret-hunter2(?=a)', replacement: x}
        - {pattern: '(', replacement: x, descripton: y}
        - {pattern: 'a*', replacement: x}
        - {pattern: 'ä(', replacement: x}
        - {replacement: x}
        - {pattern: '', replacement: x}
"""
    with pytest.raises(InvalidConfigError) as wrong:
        loaded(tmp_path, of_server(masking) + "defaults: {alert_masking: {pattern_group: secrity}}\n")
    told = str(wrong.value).splitlines()
    at = "mcp_servers.db.data_masking"
    groups = "known here: all, basic, cloud, kubernetes, personal, secrets, security"
    remedy = "correct it: RE2 knows no lookaround and no backreferences"
    assert told[0].startswith(f"tarsy.yaml:5: {at}.enabled: is not accepted; it should be a valid boolean")
    assert told[1:] == [
        f"tarsy.yaml:6: {at}.pattern_groups[0]: no group has this name; did you mean kubernetes?",
        f"tarsy.yaml:6: {at}.pattern_groups[1]: no group has this name; {groups}",
        f"tarsy.yaml:7: {at}.patterns[0]: no pattern has this name; did you mean email?",
        f"tarsy.yaml:9: {at}.custom_patterns[0].pattern: is not a regex of RE2 (invalid perl operator); {remedy}",
        f"tarsy.yaml:10: {at}.custom_patterns[1].pattern: is not a regex of RE2 (missing )); {remedy}",
        f"tarsy.yaml:10: {at}.custom_patterns[1].descripton: unknown key; did you mean description?",
        f"tarsy.yaml:11: {at}.custom_patterns[2].pattern: finds something in an empty text too; "
        "write a regex that needs at least one character",
        f"tarsy.yaml:12: {at}.custom_patterns[3].pattern: is not a regex of RE2 (missing )); {remedy}",
        f"tarsy.yaml:13: {at}.custom_patterns[4].pattern: is missing; add it",
        f"tarsy.yaml:14: {at}.custom_patterns[5].pattern: is empty; write a regex",
        "tarsy.yaml:15: defaults.alert_masking.pattern_group: no group has this name; did you mean security?",
    ]
