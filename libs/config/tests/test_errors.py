"""All mistakes of all files are told at once, in the order of their lines."""

from pathlib import Path

import pytest

from tarsy_config.errors import InvalidConfigError
from tarsy_config.loading.load import load_config

WRONG = """\
defaults:
  llm_provder: scripted
  max_iterations: many
  alert_type: kuberntes
mcp_servers:
  kube__x:
    transport: {type: tcp, url: "http://x"}
  db:
    transport:
      type: stdio
      command: [a]
      env: {PW: "{{.PW}}", PORT: 5432}
      timeout: 5 minutes
    summarization: {size_threshold_tokens: 5}
agents:
  A:
    mcp_servers: [bd, db]
    mcp_server: x
  A: {}
  Actor: {type: action, native_tools: {google: true}}
agent_chains:
  k:
    alert_types: [kubernetes, kubernetes]
    stages:
      - name: a
        agents: [{name: B}, {name: A, llm_provider: scrpted}]
      - nme: x
        agents: []
  odd:
    alert_types: []
    llm_provider: cloud
    fallback_providers: [scrpted, {provider: nobody}, {provder: scripted}, {provider: scripted, backend: java}]
    executive_summary_provider: nobody
    iteration_strategy: guessing
    chat: {agent: Chatty, mcp_servers: [nowhere]}
    stages:
      - name: b
        replicas: 0
        success_policy: most
        mcp_servers: [nowhere]
        synthesis: {agnt: A, agent: Nobody, llm_provider: nobody}
        agents: [{name: Actor}, {name: A, type: action}, {name: A, type: odd, mcp_servers: nowhere}]
  idle: {alert_types: [a], stages: []}
queue:
  workers: {{.WORKERS}}
  max_concurrent_sessions: 0
system:
  runbooks: {repo_url: "https://me:hunter2@github.com/o/r", cache_ttl: 0s, max_bytes: none}
  githb: {}
"""
WRONG_PROVIDERS = """\
llm_providers:
  scripted: {type: scripted, script: nowhere.yaml, pace: 1}
  cloud: {type: vertexai, model: gemini-2.5-pro, porject_env: P}
"""


def test_every_mistake_is_told_with_its_line_and_what_would_be_right(tmp_path: Path) -> None:
    (tmp_path / "tarsy.yaml").write_text(WRONG, encoding="utf-8")
    (tmp_path / "llm-providers.yaml").write_text(WRONG_PROVIDERS, encoding="utf-8")
    with pytest.raises(InvalidConfigError) as caught:
        load_config(tmp_path, {})
    assert str(caught.value).splitlines() == [
        "tarsy.yaml:2: defaults.llm_provder: unknown key; did you mean llm_provider?",
        "tarsy.yaml:3: defaults.max_iterations: is not accepted; "
        "it should be a valid integer, unable to parse string as an integer",
        "tarsy.yaml:4: defaults.alert_type: no chain names the default alert type kuberntes; did you mean kubernetes?",
        "tarsy.yaml:6: mcp_servers.kube__x: cannot name a server; "
        "use letters and digits, with single - or _ between them",
        "tarsy.yaml:7: mcp_servers.kube__x.transport.type: is not accepted; it should be 'stdio', 'http' or 'sse'",
        "tarsy.yaml:11: mcp_servers.db.transport.command: is not text; write the value in quotes",
        "tarsy.yaml:12: mcp_servers.db.transport.env.PW: the environment variable PW is not set; "
        "set PW, or write the value itself",
        "tarsy.yaml:12: mcp_servers.db.transport.env.PORT: is not text; write the value in quotes",
        "tarsy.yaml:13: mcp_servers.db.transport.timeout: is not a duration; "
        'write seconds, or such as "60s", "5m", "1m30s"',
        "tarsy.yaml:14: mcp_servers.db.summarization.size_threshold_tokens: is not accepted; "
        "it should be greater than or equal to 100",
        "tarsy.yaml:19: agents.A: is here a second time (first in line 16); keep one of them",
        "tarsy.yaml:20: agents.Actor.native_tools.google: unknown key; did you mean google_search?",
        "tarsy.yaml:23: agent_chains.k.alert_types[1]: the alert type kubernetes belongs to the chain k already; "
        "keep one of them",
        "tarsy.yaml:26: agent_chains.k.stages[0].agents[0].name: agents has no B; known here: A, Actor",
        "tarsy.yaml:26: agent_chains.k.stages[0].agents[1].llm_provider: llm_providers has no scrpted; "
        "did you mean scripted?",
        "tarsy.yaml:26: agent_chains.k.stages[0].agents[0]: has no llm_provider; "
        "name one here, or in defaults.llm_provider",
        "tarsy.yaml:27: agent_chains.k.stages[1].name: is missing; add it",
        "tarsy.yaml:27: agent_chains.k.stages[1].nme: unknown key; did you mean name?",
        "tarsy.yaml:28: agent_chains.k.stages[1].agents: has no agent; name one agent",
        "tarsy.yaml:30: agent_chains.odd.alert_types: is empty; name the alert types that the chain is for, "
        "or what they match",
        "tarsy.yaml:32: agent_chains.odd.fallback_providers[2].provider: is missing; add it",
        "tarsy.yaml:32: agent_chains.odd.fallback_providers[2].provder: unknown key; did you mean provider?",
        "tarsy.yaml:32: agent_chains.odd.fallback_providers[3].backend: is not accepted; "
        "it should be 'google-native' or 'langchain'",
        "tarsy.yaml:32: agent_chains.odd.fallback_providers[0]: llm_providers has no scrpted; did you mean scripted?",
        "tarsy.yaml:32: agent_chains.odd.fallback_providers[1].provider: llm_providers has no nobody; "
        "known here: cloud, scripted",
        "tarsy.yaml:33: agent_chains.odd.executive_summary_provider: llm_providers has no nobody; "
        "known here: cloud, scripted",
        "tarsy.yaml:34: agent_chains.odd.iteration_strategy: is not accepted; "
        "it should be 'function-calling' or 'react'",
        "tarsy.yaml:35: agent_chains.odd.chat.mcp_servers[0]: mcp_servers has no nowhere; known here: db, kube__x",
        "tarsy.yaml:35: agent_chains.odd.chat.agent: agents has no Chatty; did you mean ChatAgent?",
        "tarsy.yaml:38: agent_chains.odd.stages[0].replicas: is not accepted; it should be greater than or equal to 1",
        "tarsy.yaml:39: agent_chains.odd.stages[0].success_policy: is not accepted; it should be 'any' or 'all'",
        "tarsy.yaml:40: agent_chains.odd.stages[0].mcp_servers[0]: mcp_servers has no nowhere; known here: db, kube__x",
        "tarsy.yaml:41: agent_chains.odd.stages[0].synthesis.agnt: unknown key; did you mean agent?",
        "tarsy.yaml:41: agent_chains.odd.stages[0].synthesis.agent: agents has no Nobody; known here: A, Actor",
        "tarsy.yaml:41: agent_chains.odd.stages[0].synthesis.llm_provider: llm_providers has no nobody; "
        "known here: cloud, scripted",
        "tarsy.yaml:42: agent_chains.odd.stages[0].agents[2].type: is not accepted; "
        "it should be '', 'synthesis', 'exec_summary', 'action' or 'scoring'",
        "tarsy.yaml:42: agent_chains.odd.stages[0].agents[2].mcp_servers: is not a list; "
        "write [a, b], or one line with a dash for each item",
        "tarsy.yaml:43: agent_chains.idle.stages: has no stage; name one stage",
        'tarsy.yaml:45: queue.workers: has a key that is not a name; templates are written in quotes: "{{.NAME}}"',
        "tarsy.yaml:45: queue.workers: unknown key; known here: max_concurrent_sessions, max_pending, session_timeout",
        "tarsy.yaml:46: queue.max_concurrent_sessions: is not accepted; it should be greater than or equal to 1",
        "tarsy.yaml:48: system.runbooks.repo_url: holds a user or password; "
        "name the variable of a token in system.github.token_env",
        'tarsy.yaml:48: system.runbooks.cache_ttl: is not a duration; write seconds, or such as "60s", "5m", "1m30s"',
        "tarsy.yaml:48: system.runbooks.max_bytes: is not accepted; "
        "it should be a valid integer, unable to parse string as an integer",
        "tarsy.yaml:49: system.githb: unknown key; did you mean github?",
        "llm-providers.yaml:2: llm_providers.scripted.pace: unknown key; "
        "known here: api_key, api_key_env, api_version, base_model, base_url, context_tokens, credentials, "
        "credentials_env, location, location_env, max_output_tokens, model, native_tools, pace_seconds, profile, "
        "project, project_env, region, role_arn, script, thinking, type",
        "llm-providers.yaml:2: llm_providers.scripted.script: there is no file nowhere.yaml; "
        "script is a path from the folder of llm-providers.yaml",
        "llm-providers.yaml:3: llm_providers.cloud.porject_env: unknown key; did you mean project_env?",
    ]
