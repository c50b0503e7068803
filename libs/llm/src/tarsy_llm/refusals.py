"""Refusals in the words of each vendor: a table of what was met in the field, and what each of them means.

A new sentence is a line here, and a case in tests/wires/refusals.json with the page that documents it.
"""

import re
from collections.abc import Sequence

from tarsy_llm.protocol import ErrorKind, LlmCallError

CONTEXT_FULL = re.compile(
    r"context_length_exceeded|maximum context length|maximum prompt length|exceed_context_size"
    r"|exceeds? (?:the |its |this )?(?:model'?s? |available |maximum |max )*context (?:size|length|window|limit)"
    r"|exceeds? the context (?:window|length|limit)|exceed context limit|context (?:window|size) (?:\w+ ){0,2}exceeded"
    r"|exceeds? the maximum allowed length"
    r"|fills the context window|model_context_window_exceeded|prompt (?:is |was )?too long|prompt too long"
    r"|input is too long|input token count.{0,20}exceeds|too large for model with|longer than the (?:maximum )?model"
    r"|reduce the length of (?:the|your) (?:messages|prompt|input)|exceeds? the maximum number of (?:input )?tokens"
    r"|tokens in the prompt cannot exceed|`inputs`.{0,60}must (?:be <=|have less than)|context the overflows"
    r"|cannot truncate to \d+, required"
    r"|request_too_large|request too large|request exceeds the maximum size|too many tokens",
    re.IGNORECASE,
)
"""OpenAI, Azure, xAI, llama.cpp, Ollama, Anthropic, Bedrock, Gemini, Mistral, vLLM, SGLang, Groq, Cohere, TGI,
LM Studio, OpenRouter, AI Studio."""
CONTEXT_TOKENS = (
    re.compile(r"(?:context|prompt) (?:length|window|size|limit)[^.\d]{0,24}?(\d{3,9})", re.IGNORECASE),
    re.compile(r"with (\d{3,9}) maximum context length", re.IGNORECASE),
    re.compile(r"(?:available context size|maximum allowed length) \((\d{3,9})", re.IGNORECASE),
    re.compile(r"\d+ tokens > (\d{3,9}) maximum", re.IGNORECASE),
    re.compile(r"\+ \d+ > (\d{3,9})"),
    re.compile(r"tokens allowed \(?(\d{3,9})", re.IGNORECASE),
    re.compile(r"maximum model length of (\d{3,9})", re.IGNORECASE),
    re.compile(r"must (?:be <=|have less than) (\d{3,9})", re.IGNORECASE),
    re.compile(r"\(TPM\): Limit (\d{3,9})", re.IGNORECASE),
    re.compile(r"cannot truncate to (\d{3,9})", re.IGNORECASE),
)
MALFORMED_CALL = re.compile(
    r"tool_use_failed|failed to call a function|failed_generation|(?:error|failed to) pars(?:e|ing) (?:the )?tool call"
    r"|malformed_?\s?function_?\s?call|invalid sequence as part of tooluse|failed to parse input at pos"
    r"|XML syntax error|element <\w+> closed by|expected element type <"
    r"|(?:could not|cannot|unable to) parse (?:the )?(?:model's )?(?:tool|function) call"
    r"|invalid tool call|generated an invalid tool",
    re.IGNORECASE,
)
"""Groq, Ollama, llama.cpp, Gemini, Bedrock, vLLM."""
MOST_TOOLS = (
    re.compile(r"'tools': array too long\. Expected an array with maximum length (\d+)", re.IGNORECASE),
    re.compile(
        r"(?:maximum|at most|up to|no more than|limit of)\D{0,30}(\d+)[^.]{0,20}(?:tools|functions|function decl)",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:tools|functions|function declarations)\b[^.\d]{0,60}(?:maximum|at most|limit)\D{0,20}(\d+)", re.IGNORECASE
    ),
)
TOOL_BY_NAME = re.compile(r"(?:function|tool)(?: named| name|:)? ?['\"`]([\w.\-]{1,128})['\"`]", re.IGNORECASE)
TOOL_BY_NUMBER = re.compile(
    r"(?:tools\.(\d+)\.|function_declarations\[(\d+)\]|tools\[(\d+)\]\.(?:function|custom|name|input|type))"
)
ABOUT_SCHEMAS = re.compile(
    r"schema|parameters|propert|function_declarations|input_schema|items|enum|\bname\b", re.IGNORECASE
)
REFINED: frozenset[ErrorKind] = frozenset({"invalid_request", "provider_error", "cut_off"})


def refine(problem: LlmCallError, tools: Sequence[str] = ()) -> LlmCallError:
    """Says more exactly what the provider refused, where its words do. `tools`: names, in the order of the request."""
    message = str(problem)
    if problem.kind not in REFINED:
        return problem
    if CONTEXT_FULL.search(message):
        problem.kind, problem.context_tokens = "context_full", _first_number(CONTEXT_TOKENS, message)
    elif MALFORMED_CALL.search(message):
        problem.kind = "malformed_call"
    elif problem.kind == "invalid_request" and tools:
        _refine_tools(problem, message, tools)
    return problem


def _refine_tools(problem: LlmCallError, message: str, tools: Sequence[str]) -> None:
    most = _first_number(MOST_TOOLS, message)
    if most is not None and most < len(tools):
        problem.kind, problem.most_tools = "tools_refused", most
        return
    named = {name for name in TOOL_BY_NAME.findall(message) if name in tools}
    if not named and ABOUT_SCHEMAS.search(message):
        numbers = [int(next(filter(None, found))) for found in TOOL_BY_NUMBER.findall(message)]
        # A place such as tools[0].function_declarations[3] ends with the number of the function.
        named = {tools[number] for number in numbers if number < len(tools)}
    if named:
        problem.kind, problem.refused_tools = "tools_refused", tuple(sorted(named))


def _first_number(patterns: Sequence[re.Pattern[str]], text: str) -> int | None:
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    return next((int(found[1]) for pattern in patterns if (found := pattern.search(plain))), None)
