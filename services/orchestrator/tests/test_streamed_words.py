"""Words of calls that run, for the notice that their time is up."""

from tarsy_contracts.messages.inputs import UnfinishedAnswer
from tarsy_orchestrator.effects.streamed_words import MOST_KEPT, MOST_REPORTED, RunningWords


def test_calls_that_run_and_have_said_something_are_told() -> None:
    running = RunningWords()
    with running.of("a") as words, running.of("b"):
        words.add("thinking", "hm")
        words.add("text", "The pod ")
        words.add("text", "was")
        told = running.list_unfinished(["a", "b", "another session's"])
    assert told == (UnfinishedAnswer(llm_call_id="a", thinking="hm", text="The pod was"),)
    assert running.list_unfinished(["a", "b"]) == ()


def test_the_end_of_what_was_much_is_told_and_no_more_of_all_calls_than_a_record_takes() -> None:
    running = RunningWords()
    with running.of("a") as one, running.of("b") as other:
        for number in range(300):
            one.add("text", f"{number:03}" + "x" * 997)
            other.add("text", "\N{COLLISION SYMBOL}" * 1_000)
        assert len(one.last("text")) == MOST_KEPT
        told = running.list_unfinished(["a", "b"])
    assert sum(len(answer.text) for answer in told) <= MOST_REPORTED
    assert told[0].text.endswith("299" + "x" * 997)
