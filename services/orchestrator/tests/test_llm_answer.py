"""A model's answer is masked once, when it is recorded; what a provider wants back unchanged is kept so, or dropped."""

from pydantic import JsonValue

from tarsy_contracts.conversation import Usage
from tarsy_contracts.messages.inputs import LlmCallReported
from tarsy_llm.protocol import Answer, AskedTool
from tarsy_masking.masker import REDACTED, Masker
from tarsy_orchestrator.effects.llm_answer import (
    MOST_RECORD_BYTES,
    MaskedAnswer,
    is_long,
    mask_answer,
    record_size,
)
from tarsy_session.controllers.function_calling import MOST_CALLS
from tarsy_testing.broken_masker import broken_masker

KEY = bytes(range(32))
MASKER = Masker.default(KEY).for_session("s-1")
SECRET = "ghp_" + "a1B2c3D4e5F6" * 3
OPAQUE: JsonValue = {"provider": "google", "parts": [{"kind": "mark", "signature": SECRET}]}


def answer(thinking: str = "", text: str = "", *calls: AskedTool, opaque: JsonValue = None) -> Answer:
    return Answer(thinking=thinking, text=text, tool_calls=calls, usage=Usage(), model="m", opaque=opaque)


def recorded(said: Answer, masker: Masker = MASKER) -> MaskedAnswer:
    return mask_answer(said, masker, llm_call_id="llm-1", offered={"db__get_token=abcdef123456"})


def test_the_same_secret_is_told_by_the_same_placeholder_in_all_that_a_model_says() -> None:
    call = AskedTool(name="db__query", arguments={"sql": f"select {SECRET}", "more": [{"x": SECRET}]})
    said = recorded(answer(f"I see {SECRET}", f"It is {SECRET}", call))
    placeholder = MASKER.mask(SECRET)
    assert placeholder.startswith("[MASKED_")
    assert (said.thinking, said.text) == (f"I see {placeholder}", f"It is {placeholder}")
    assert said.tool_calls[0].arguments == {"sql": f"select {placeholder}", "more": [{"x": placeholder}]}


def test_what_a_model_invents_is_masked_and_the_name_of_a_tool_that_is_offered_stays() -> None:
    offered = AskedTool(name="db__get_token=abcdef123456", arguments={})
    invented = AskedTool(name=f"db__{SECRET}", arguments={SECRET: [{SECRET: 1}]})
    first, second = recorded(answer("", "", offered, invented)).tool_calls
    assert first.name == offered.name
    assert SECRET not in f"{second}"
    assert second.name.startswith("db__[MASKED_")


def test_an_opaque_part_is_not_touched() -> None:
    said = recorded(answer("I think", f"It is {SECRET}", opaque=OPAQUE))
    assert said.opaque == OPAQUE
    assert SECRET not in said.text


def test_an_opaque_part_that_may_repeat_what_was_masked_is_not_kept() -> None:
    assert recorded(answer(f"I think {SECRET}", opaque=OPAQUE)).opaque is None


def test_when_masking_fails_nothing_of_the_answer_is_kept() -> None:
    call = AskedTool(name=f"db__{SECRET}", arguments={"x": SECRET})
    said = recorded(answer(SECRET, SECRET, call, opaque=OPAQUE), broken_masker())
    assert SECRET not in f"{said}"
    assert (said.thinking, said.text, said.opaque) == (REDACTED, REDACTED, None)
    assert said.tool_calls[0].arguments == {}


def test_arguments_are_masked_as_text_is_by_what_a_name_and_its_value_make_together() -> None:
    headers: JsonValue = {"Authorization": "Bearer abcdefghijkl1234567890", "Cookie": "sid=abcd; a=b"}
    call = AskedTool(
        name="db__query", arguments={"headers": headers, "argv": ["mysql", "--password", "hunter2"], "n": 1}
    )
    arguments = f"{recorded(answer('', '', call)).tool_calls[0].arguments}"
    assert not any(secret in arguments for secret in ("abcdefghijkl1234567890", "sid=abcd", "hunter2"))
    assert all(kept in arguments for kept in ("'headers'", "'Authorization'", "'--password'", "'n': 1"))


def test_calls_that_nobody_will_run_are_counted_and_not_recorded() -> None:
    said = recorded(answer("", "", *(AskedTool(name="db__query", arguments={}) for _ in range(MOST_CALLS + 7))))
    assert (len(said.tool_calls), said.calls_left_out) == (MOST_CALLS, 7)


def test_a_long_answer_is_not_masked_on_the_event_loop() -> None:
    arguments: dict[str, JsonValue] = {"sql": "x" * 70_000}
    assert not is_long(answer("a" * 1_000, "b" * 1_000))
    assert is_long(answer("a" * 70_000))
    assert is_long(answer("", "b" * 70_000))
    assert is_long(answer("", "", AskedTool(name="db__query", arguments=arguments)))


def test_what_takes_more_on_record_than_it_has_characters_is_known_before_it_is_decided() -> None:
    small = report(text="\x1b" * 1_000)
    large = report(text="\x1b" * 1_000_000)
    assert record_size(small) <= MOST_RECORD_BYTES < record_size(large)


def report(*, text: str) -> LlmCallReported:
    return LlmCallReported(
        llm_call_id="llm-1", error="", retryable=False, thinking="", text=text, tool_calls=(), usage=Usage(),
        model="m", duration_ms=1,
    )  # fmt: skip
