"""The scripted model plays the turn of agent and iteration, and checks what the conversation brings."""

import asyncio
from pathlib import Path

import pytest

from tarsy_contracts.conversation import AssistantMessage, Conversation, ToolCall, ToolMessage, Usage, UserMessage
from tarsy_llm.protocol import Answer, Delta, ErrorKind, Llm, LlmCallError, LlmRequest
from tarsy_llm.scripted.script import (
    PlacedTurn,
    Script,
    ScriptedCall,
    ScriptedNativeCall,
    ScriptedTurn,
    ScriptedUsage,
    load_scripts,
)
from tarsy_llm.scripted.scripted_llm import ScriptedLlm

AGENT = "KubernetesAgent"


def request(*said: str, agent: str = AGENT, iteration: int = 1) -> LlmRequest:
    messages = tuple(UserMessage(content=text) for text in said)
    return LlmRequest(agent=agent, iteration=iteration, conversation=Conversation(system="", messages=messages))


def script(*turns: ScriptedTurn) -> Script:
    return Script(tuple(PlacedTurn(turn, f"script.yaml:{number}") for number, turn in enumerate(turns, 1)))


def playing(*turns: ScriptedTurn) -> ScriptedLlm:
    return ScriptedLlm(script(*turns), no_sleep)


def turn(*, text: str = "hello", iteration: int = 1, needs: tuple[str, ...] = ()) -> ScriptedTurn:
    return ScriptedTurn(agent=AGENT, iteration=iteration, text=text, needs=needs)


async def no_sleep(_: float) -> None:
    pass


async def answer_of(llm: Llm, asked: LlmRequest) -> Answer:
    *_, last = [part async for part in llm.stream(asked)]
    assert isinstance(last, Answer)
    return last


async def failure_of(llm: Llm, asked: LlmRequest) -> LlmCallError:
    with pytest.raises(LlmCallError) as caught:
        await answer_of(llm, asked)
    return caught.value


async def test_the_answer_is_what_the_turn_says() -> None:
    said = ScriptedTurn(
        agent=AGENT,
        iteration=1,
        thinking="Which pod?",
        text="I look.",
        tool_calls=(ScriptedCall(name="kubernetes__pods_list", arguments={"namespace": "shop"}),),
        usage=ScriptedUsage(input_tokens=1200, output_tokens=80),
    )
    answer = await answer_of(playing(said), request())
    assert (answer.thinking, answer.text, answer.model) == ("Which pod?", "I look.", "scripted")
    assert answer.tool_calls[0].name == "kubernetes__pods_list"
    assert answer.usage == Usage(input_tokens=1200, output_tokens=80)


async def test_tools_of_its_own_are_played_where_the_agent_has_them() -> None:
    search = ScriptedNativeCall(tool="google_search", queries=("exit code 137",))
    said = turn().model_copy(update={"native_calls": (search,)})
    wanted = request().model_copy(update={"native_tools": ("google_search",)})
    assert (await answer_of(playing(said), wanted)).native_calls == (search,)
    assert (await answer_of(playing(said), request())).native_calls == ()


async def test_thinking_and_text_stream_in_small_deltas_that_add_up_to_them() -> None:
    thinking, text = "one two three four", "\n# Title\n\nfive  six seven\neight nine ten.\n"
    said = ScriptedTurn(agent=AGENT, iteration=1, thinking=thinking, text=text)
    deltas = [part async for part in playing(said).stream(request()) if isinstance(part, Delta)]
    assert len(deltas) == 5
    assert "".join(delta.text for delta in deltas if delta.part == "thinking") == thinking
    assert "".join(delta.text for delta in deltas if delta.part == "text") == text


async def test_the_pace_passes_before_each_delta() -> None:
    paces: list[float] = []

    async def note(seconds: float) -> None:
        paces.append(seconds)

    llm = ScriptedLlm(script(turn(text="one two three four")), note, pace_seconds=0.25)
    await answer_of(llm, request())
    assert paces == [0.25, 0.25]


async def test_a_call_can_be_closed_between_two_deltas() -> None:
    waiting = asyncio.Event()

    async def never(_: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    llm = ScriptedLlm(script(turn()), never)
    call = asyncio.create_task(answer_of(llm, request()))
    async with asyncio.timeout(90):
        await waiting.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call


async def test_the_turn_of_another_iteration_is_not_played() -> None:
    llm = playing(turn(text="first"), turn(text="second", iteration=2))
    assert (await answer_of(llm, request(iteration=2))).text == "second"


async def test_without_a_turn_the_error_names_agent_and_iteration() -> None:
    error = await failure_of(playing(turn()), request(agent="Other", iteration=7))
    assert str(error) == "the script has no turn for agent Other, iteration 7"
    assert not error.retryable


async def test_what_a_turn_needs_and_the_conversation_lacks_is_named() -> None:
    error = await failure_of(playing(turn(needs=("OOMKilled", "checkout"))), request("pod checkout-1"))
    assert "needs ['OOMKilled']" in str(error)
    assert not error.retryable


async def test_needs_are_looked_for_in_everything_that_was_said() -> None:
    call = ToolCall(id="1", name="kubernetes__pods_list", arguments={"namespace": "café"})
    conversation = Conversation(
        system="You are an SRE.",
        messages=(
            UserMessage(content="KubePodCrashLooping"),
            AssistantMessage(content="", tool_calls=(call,)),
            ToolMessage(tool_call_id="1", tool_name="kubernetes__pods_list", content="checkout-1 OOMKilled"),
        ),
    )
    llm = playing(turn(needs=("an SRE", "KubePodCrashLooping", "kubernetes__pods_list", "café", "OOMKilled")))
    assert (await answer_of(llm, LlmRequest(agent=AGENT, iteration=1, conversation=conversation))).text == "hello"


async def test_of_several_turns_the_first_whose_needs_are_met_is_played() -> None:
    llm = playing(turn(text="pods", needs=("pods",)), turn(text="logs", needs=("logs",)))
    assert (await answer_of(llm, request("the logs say"))).text == "logs"


async def test_where_no_turn_fits_the_error_names_the_one_whose_needs_are_met_most_and_its_place() -> None:
    llm = playing(
        turn(needs=("crash-loop", "pods")),
        turn(needs=("quota", "pods", "events")),
        turn(needs=("certificate", "pods")),
    )
    error = await failure_of(llm, request("the quota of the pods"))
    assert "needs ['events']" in str(error)
    assert "script.yaml:2" in str(error)


async def test_turns_for_one_iteration_fail_each_as_often_as_it_is_told() -> None:
    once = ScriptedTurn(
        agent=AGENT, iteration=1, needs=("a",), text="hello", fail="overloaded", retryable=True, times=1
    )
    other = once.model_copy(update={"needs": ("b",)})
    llm = playing(once, other)
    for said in ("a", "b"):
        assert (await failure_of(llm, request(said))).retryable
        assert (await answer_of(llm, request(said))).text == "hello"


async def test_a_refused_text_fails_the_call_without_being_repeated() -> None:
    said = ScriptedTurn(agent=AGENT, iteration=1, text="hello", refuses=("other", "hunter2"))
    error = await failure_of(playing(said), request("password: hunter2"))
    assert "refuses[1]" in str(error)
    assert "script.yaml:1" in str(error)
    assert "hunter2" not in str(error)


async def test_a_turn_fails_as_often_as_it_is_told_and_then_answers() -> None:
    said = ScriptedTurn(agent=AGENT, iteration=1, text="hello", fail="overloaded", retryable=True, times=2)
    llm = playing(said)
    for _ in range(2):
        error = await failure_of(llm, request())
        assert (str(error), error.retryable) == ("overloaded", True)
    assert (await answer_of(llm, request())).text == "hello"


async def test_a_turn_without_times_fails_always() -> None:
    llm = playing(ScriptedTurn(agent=AGENT, iteration=1, fail="no such model"))
    for _ in range(3):
        assert not (await failure_of(llm, request())).retryable


async def test_a_turn_fails_in_the_way_that_it_is_told() -> None:
    llm = playing(ScriptedTurn(agent=AGENT, iteration=1, fail="slower", kind="rate_limited", retry_after_seconds=2.5))
    error = await failure_of(llm, request())
    assert (error.kind, error.retry_after_seconds, str(error)) == ("rate_limited", 2.5, "slower")


@pytest.mark.parametrize("kind", ["credentials", "refused", "first_chunk_timeout"])
async def test_most_failures_come_before_the_first_word(kind: ErrorKind) -> None:
    said, error = await heard_before_failing(
        ScriptedTurn(agent=AGENT, iteration=1, text="one two three", fail="no", kind=kind)
    )
    assert (said, error.kind) == ([], kind)


@pytest.mark.parametrize("kind", ["stalled", "cut_off"])
async def test_an_answer_that_breaks_off_does_so_in_its_middle(kind: ErrorKind) -> None:
    text = "one two three four five six seven eight nine ten eleven twelve"
    said, error = await heard_before_failing(ScriptedTurn(agent=AGENT, iteration=1, text=text, fail="no", kind=kind))
    assert ("".join(said), error.kind) == ("one two three four five six ", kind)


async def test_after_it_broke_off_as_often_as_it_was_told_it_is_whole() -> None:
    llm = playing(ScriptedTurn(agent=AGENT, iteration=1, text="hello", fail="silence", kind="stalled", times=1))
    assert (await failure_of(llm, request())).kind == "stalled"
    assert (await answer_of(llm, request())).text == "hello"


async def test_a_turn_without_an_iteration_fits_every_one_that_no_other_turn_fits() -> None:
    always = ScriptedTurn(agent=AGENT, text="I look.")
    llm = playing(always, turn(text="second", iteration=2), turn(text="third", iteration=3, needs=("logs",)))
    said = [(await answer_of(llm, request(iteration=number))).text for number in (1, 2, 3, 4)]
    assert said == ["I look.", "second", "I look.", "I look."]
    assert (await answer_of(llm, request("logs", iteration=3))).text == "third"


async def heard_before_failing(turn: ScriptedTurn) -> tuple[list[str], LlmCallError]:
    said: list[str] = []
    try:
        async for part in playing(turn).stream(request()):
            assert isinstance(part, Delta)
            said.append(part.text)
    except LlmCallError as error:
        return said, error
    raise AssertionError("it did not fail")


async def test_the_scripted_provider_is_built_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "script.yaml"
    file.write_text(f"turns: [{{agent: {AGENT}, iteration: 1, text: hello}}]", encoding="utf-8")
    llm = ScriptedLlm(load_scripts([file]), no_sleep)
    assert (await answer_of(llm, request())).text == "hello"
