"""Sessions that have used tokens of models, and what those cost."""

from datetime import date
from typing import Any

from projected_world import Json, NewSession, World, records

from tarsy_contracts import events as e
from tarsy_contracts.conversation import Usage
from tarsy_contracts.prices import ModelPrices, PricePeriod, TokenPrice
from tarsy_testing.story.whole_chain import begun

SALE = PricePeriod(price=TokenPrice(input=1.0, output=1.0), first=date(2026, 11, 23), until=date(2026, 11, 25))
PRICES = ModelPrices(
    prices={
        "big": TokenPrice(input=2.0, output=10.0, cached_input=0.5, cache_written=3.0, web_search=0.01),
        "small": TokenPrice(input=1.0, output=4.0),
        "free": TokenPrice(input=0.0, output=0.0),
    },
    periods={"big": (SALE,)},
)
NOVEMBER = "from=2026-11-01&to=2026-11-30"
SPENT = Usage(input_tokens=1_000_000, output_tokens=200_000, thinking_tokens=50_000)
CACHED = Usage(input_tokens=1_000_000, output_tokens=0, cached_input_tokens=600_000, cache_written_tokens=100_000)


def answer(model: str, usage: Usage) -> e.LlmCallCompleted:
    return e.LlmCallCompleted(
        llm_call_id="l", execution_id="x", thinking="", text="", tool_calls=(), usage=usage, model=model, duration_ms=1
    )


def used(new_session: NewSession, *answers: tuple[str, Usage], chain: str = "crash", namespace: str = "shop") -> Any:
    first = begun()
    alert = first.alert.model_copy(update={"namespace": namespace})
    plan = first.chain.model_copy(update={"chain_id": chain})
    started = first.model_copy(update={"alert": alert, "chain": plan})
    return new_session().add(started, *(answer(model, usage) for model, usage in answers))


async def project(world: World, *sessions: Any) -> None:
    await world.project(*(record for session in sessions for record in records(session)))


def in_short(group: Json) -> tuple[Any, ...]:
    names = ("key", "sessions", "calls", "total_tokens", "cost", "cost_completeness")
    return tuple(group[name] for name in names if name in group)
