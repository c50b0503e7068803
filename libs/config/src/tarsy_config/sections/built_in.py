"""Built-in agents, chains, MCP servers and LLM providers. A configured entry replaces the whole one of its name."""

from collections.abc import Mapping
from typing import Final

from tarsy_config.sections.chains import Agent, AgentChain, StageAgent, StageConfig
from tarsy_config.sections.labels import LabelChoice, LabelMap
from tarsy_config.sections.providers import LlmProvider, NativeTools
from tarsy_config.sections.servers import McpServerConfig
from tarsy_config.sections.transports import Transport
from tarsy_config.values import DEFAULT_ALERT_TYPE

SYNTHESIS: Final = "SynthesisAgent"
EXECUTIVE_SUMMARY: Final = "ExecSummaryAgent"
COMPOSER: Final = "ComposeAgent"
CHAT: Final = "ChatAgent"
SCORING: Final = "ScoringAgent"
REFLECTOR: Final = "ReflectorAgent"
KUBERNETES_SERVER: Final = "kubernetes-server"
CLUSTER_VARIABLES = ("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT")
"""How a program finds its cluster, beside ~/.kube/config; handed on where they are set."""

AGENTS: Mapping[str, Agent] = {
    "KubernetesAgent": Agent(
        description="investigates workloads of a Kubernetes cluster",
        mcp_servers=(KUBERNETES_SERVER,),
        custom_instructions="""\
Begin with what the alert names: its namespace, its workload, the pods behind it. Then go outwards: events, previous
logs of containers that restarted, the workload's spec and its last rollout, the node, quotas and limits.
Say which change or shortage explains all that you see, and which observation would prove you wrong.""",
    ),
    SYNTHESIS: Agent(
        type="synthesis",
        description="makes one analysis of several",
        custom_instructions="""\
Several colleagues looked into the same alert without knowing of each other. Weigh what each of them observed, not how
sure they sound: a claim counts as much as the evidence that is quoted for it. Where they contradict each other, say
which evidence decides, or that none does. Write the one analysis that somebody on call acts on, not a comparison.""",
    ),
    EXECUTIVE_SUMMARY: Agent(
        type="exec_summary",
        description="says in a few lines what was found",
        custom_instructions="""\
Write one to four lines for somebody who reads nothing else: what is broken, why, and what to do now. Add nothing that
the analysis does not say.""",
    ),
    COMPOSER: Agent(
        type="exec_summary",
        description="writes one report of what was found and what was done",
        custom_instructions="""\
Write the report that replaces the analysis: what is wrong and why, what was done about it and whether it helped, what
is still to do. Add nothing that neither the analysis nor the facts of the actions say.""",
    ),
    REFLECTOR: Agent(type="exec_summary", description="says what an investigation teaches later ones"),
    CHAT: Agent(
        description="answers questions about an investigation",
        custom_instructions="""\
Answer what is asked, from the investigation before you. Use tools when the answer is not in it or may have changed
since, and say which of both your answer rests on.""",
    ),
    SCORING: Agent(type="scoring", description="judges finished investigations"),
    "WebResearcher": Agent(
        description="looks into the web: searches, and reads pages where its model can",
        native_tools=NativeTools(google_search=True, url_context=True),
        custom_instructions="""\
Look for what others wrote of this: release notes, reported bugs, advisories, documentation. Name the page of each claim
and its date, and say which of them fit the version at hand. Without tools to search with, say so and claim nothing.""",
    ),
    "CodeExecutor": Agent(
        description="computes by running code, where its model can: Gemini",
        native_tools=NativeTools(code_execution=True),
        custom_instructions="""\
Compute what is asked by running code, and show the code with its output. Without a tool that runs code, say so and
guess nothing.""",
    ),
    "GeneralWorker": Agent(
        description="does one task by thinking: analyses, compares, summarises",
        custom_instructions="Do the task that you are given, completely and no more. Say what you could not find out.",
    ),
}
CHAINS: Mapping[str, AgentChain] = {
    "kubernetes": AgentChain(
        alert_types=(DEFAULT_ALERT_TYPE,),
        description="one agent looks into a Kubernetes alert",
        stages=(StageConfig(name="analysis", agents=(StageAgent(name="KubernetesAgent"),)),),
    )
}
SERVERS: Mapping[str, McpServerConfig] = {
    KUBERNETES_SERVER: McpServerConfig(
        transport=Transport(
            type="stdio",
            command="npx",
            args=("-y", "kubernetes-mcp-server@0", "--read-only", "--disable-destructive"),
        ),
        instructions="""\
These tools read Kubernetes clusters. When there is a tool that lists contexts, call it first, and name the context that
the alert is about in each call. Ask with a namespace wherever the resource has one (nodes, namespaces and persistent
volumes have none): lists of a whole cluster are long.
events_list tells one time of each event. resources_list with apiVersion v1 and kind Event also tells how often it came,
and when first.""",
    )
}
WEB = NativeTools(google_search=True, url_context=True, code_execution=False)
PROVIDERS: Mapping[str, LlmProvider] = {
    "google-default": LlmProvider(type="google", model="gemini-3.7-flash", native_tools=WEB),
    "gemini-3.7-flash": LlmProvider(type="google", model="gemini-3.7-flash", native_tools=WEB),
    "gemini-3-flash": LlmProvider(type="google", model="gemini-3-flash-preview", native_tools=WEB),
    "gemini-3.1-pro": LlmProvider(type="google", model="gemini-3.1-pro-preview", native_tools=WEB),
    "gemini-2.5-flash": LlmProvider(type="google", model="gemini-2.5-flash", native_tools=WEB),
    "gemini-2.5-pro": LlmProvider(type="google", model="gemini-2.5-pro", native_tools=WEB),
    "openai-default": LlmProvider(type="openai", model="gpt-5.2"),
    "anthropic-default": LlmProvider(type="anthropic", model="claude-sonnet-5"),
    "xai-default": LlmProvider(type="xai", model="grok-4.6"),
    "vertexai-default": LlmProvider(type="vertexai", model="claude-sonnet-5"),
}


def servers(environ: Mapping[str, str]) -> Mapping[str, McpServerConfig]:
    """With the cluster that the environment names."""
    env = {name: environ[name] for name in CLUSTER_VARIABLES if environ.get(name)}
    return {name: _with_env(server, env) for name, server in SERVERS.items()}


def _with_env(server: McpServerConfig, env: Mapping[str, str]) -> McpServerConfig:
    transport = Transport.model_validate(server.transport.model_dump(exclude_unset=True) | {"env": dict(env)})
    return server.model_copy(update={"transport": transport})


LABEL_MAPS: Mapping[str, LabelMap] = {
    "builtin": LabelMap(
        labels=(
            LabelChoice(label="action", description="a person has to do something soon"),
            LabelChoice(label="watch", description="nothing has to be done now, but it may get worse"),
            LabelChoice(label="noise", description="it is over, harmless or a false alarm"),
        )
    )
}
