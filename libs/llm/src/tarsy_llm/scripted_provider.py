"""The scripted model as a provider: it reads its scripts, and needs neither key nor network."""

from tarsy_contracts.chain import NATIVE_TOOLS
from tarsy_llm.protocol import Llm
from tarsy_llm.provider_type import Provider, ProviderType
from tarsy_llm.scripted.script import load_scripts
from tarsy_llm.scripted.scripted_llm import ScriptedLlm, Sleep
from tarsy_llm.timeouts import StreamLimits


def _build(provider: Provider, limits: StreamLimits, sleep: Sleep) -> Llm:
    """Raises InvalidScriptError."""
    return ScriptedLlm(load_scripts(provider.scripts), sleep, pace_seconds=provider.pace_seconds)


PROVIDER = ProviderType(_build, native_tools=lambda _model: NATIVE_TOOLS)
