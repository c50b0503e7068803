"""What goes wrong on the way to a model: the same for all providers, told in their own dialects."""

import asyncio
import re
from contextlib import AbstractAsyncContextManager, aclosing
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from asking import KEY, answer_of, asked, failure_of, request
from dialects import DIALECTS, NOISE_OF_EVENTS, Dialect
from pydantic import SecretStr
from wire import Cut, ProviderServer, Reply, Silence, without_tls

from tarsy_llm.model_settings import ModelSettings
from tarsy_llm.protocol import Delta, ErrorKind, Llm
from tarsy_llm.providers import PROVIDER_TYPES
from tarsy_llm.timeouts import LimitedLlm, StreamLimits
from tarsy_testing.real_servers import eventually

SECONDS = 90.0


def asked_of(
    dialect: Dialect, *replies: Reply, api_key: str | None = KEY
) -> AbstractAsyncContextManager[tuple[Llm, ProviderServer]]:
    return asked(dialect.adapter, *replies, model=dialect.model, path=dialect.path, api_key=api_key)


def model_at(dialect: Dialect, url: str) -> Llm:
    return dialect.adapter(ModelSettings(model=dialect.model, api_key=SecretStr(KEY), base_url=url))


async def first_asked(server: ProviderServer) -> bool:
    return bool(server.asked)


def each(dialects: dict[str, Dialect]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("dialect", dialects.values(), ids=dialects.keys())


every = each(DIALECTS)
with_a_key = each({name: one for name, one in DIALECTS.items() if one.key is not None})
quoting = each({name: one for name, one in DIALECTS.items() if one.noise is NOISE_OF_EVENTS and one.called != "Gemini"})
without_a_cloud = each({name: one for name, one in DIALECTS.items() if one.key is not None and one.key.missing})


def test_every_type_of_provider_has_its_row() -> None:
    assert {one.type for one in DIALECTS.values()} == PROVIDER_TYPES.keys() - {"scripted"}


@every
@pytest.mark.parametrize(
    ("status", "kind", "retryable"),
    [
        (400, "invalid_request", False),
        (401, "credentials", False),
        (403, "credentials", False),
        (404, "invalid_request", False),
        (402, "credentials", False),
        (413, "invalid_request", False),
        (422, "invalid_request", False),
        (429, "rate_limited", True),
        (500, "provider_error", True),
        (502, "provider_error", True),
        (504, "provider_error", True),
        (503, "provider_error", True),
        (529, "provider_error", True),
        (307, "provider_error", True),
    ],
)
async def test_a_status_becomes_the_kind_of_failure_that_it_is(
    dialect: Dialect, status: int, kind: ErrorKind, retryable: bool
) -> None:
    async with asked_of(dialect, dialect.refusal(status)) as (llm, server):
        error = await failure_of(llm, request())
    assert (error.kind, error.retryable, error.retry_after_seconds) == (kind, retryable, None)
    assert str(error) == f"{dialect.called} answered {status}: it said no"
    assert len(server.asked) == 1


@every
@pytest.mark.parametrize("status", [429, 503, 529])
async def test_the_wait_that_is_asked_for_is_told(dialect: Dialect, status: int) -> None:
    async with asked_of(dialect, dialect.refusal(status, headers={"Retry-After": "7"})) as (llm, _):
        assert (await failure_of(llm, request())).retry_after_seconds == 7.0


@every
async def test_the_wait_may_be_told_as_a_date(dialect: Dialect) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=400), usegmt=True)
    async with asked_of(dialect, dialect.refusal(429, headers={"Retry-After": date})) as (llm, _):
        seconds = (await failure_of(llm, request())).retry_after_seconds
    assert seconds is not None
    assert 100 < seconds <= 400


@every
async def test_a_name_that_nobody_knows_is_no_answer_begun(dialect: Dialect) -> None:
    llm = model_at(dialect, "http://models.invalid")
    error = await failure_of(llm, request())
    await llm.aclose()
    assert error.kind == "provider_error"
    called = dialect.called.replace("127.0.0.1", "models.invalid")
    assert re.match(rf"{called} cannot be reached: (Client)?Connect", str(error))


@every
async def test_a_server_without_tls_at_an_address_that_wants_it_is_no_answer_begun(dialect: Dialect) -> None:
    async with without_tls() as url:
        llm = model_at(dialect, url)
        error = await failure_of(llm, request())
        await llm.aclose()
    assert error.kind == "provider_error"
    assert "SSL" in str(error)


@every
async def test_the_key_is_not_told_when_the_provider_tells_it(dialect: Dialect) -> None:
    async with asked_of(dialect, dialect.refusal(401, f"Incorrect key {KEY} given")) as (llm, _):
        error = await failure_of(llm, request())
    assert str(error).endswith("answered 401: Incorrect key [key] given")


@every
async def test_an_error_in_the_stream_tells_no_key_either(dialect: Dialect) -> None:
    steps = [*dialect.hello, dialect.error_in_the_answer(f"{KEY} is bad")]
    async with asked_of(dialect, Reply(steps)) as (llm, _):
        error = await failure_of(llm, request())
    assert str(error).endswith("[key] is bad")
    assert error.kind == "cut_off"


@every
async def test_of_a_long_complaint_the_first_500_characters_are_told(dialect: Dialect) -> None:
    async with asked_of(dialect, Reply([b"<html>" + b"x" * 5000], 502, "text/html")) as (llm, _):
        error = await failure_of(llm, request())
    assert error.kind == "provider_error"
    assert len(str(error)) < 600


@every
async def test_a_provider_that_is_not_there_is_no_answer_begun(dialect: Dialect) -> None:
    async with ProviderServer([]).running() as gone:
        url = gone.url
    llm = model_at(dialect, url)
    error = await failure_of(llm, request())
    await llm.aclose()
    assert error.kind == "provider_error"
    assert re.match(rf"{dialect.called} cannot be reached: (Client)?Connect", str(error))


@every
@pytest.mark.parametrize("said", [0, 1])
async def test_a_cut_in_the_middle_is_another_thing_than_one_before(dialect: Dialect, said: int) -> None:
    async with asked_of(dialect, Reply([*dialect.hello * said, Cut()])) as (llm, _):
        error = await failure_of(llm, request())
    assert error.kind == ("cut_off" if said else "provider_error")
    assert dialect.called in str(error)


@every
async def test_a_stream_that_ends_too_early_is_cut_off(dialect: Dialect) -> None:
    async with asked_of(dialect, Reply(dialect.hello)) as (llm, _):
        assert (await failure_of(llm, request())).kind == "cut_off"


@every
async def test_a_stream_that_ends_within_an_event_is_cut_off(dialect: Dialect) -> None:
    async with asked_of(dialect, Reply([*dialect.hello, b'data: {"choi'])) as (llm, _):
        assert (await failure_of(llm, request())).kind == "cut_off"


@quoting
async def test_what_is_no_stream_at_all_is_quoted(dialect: Dialect) -> None:
    async with asked_of(dialect, Reply([b"data: <html>\n\n"])) as (llm, _):
        error = await failure_of(llm, request())
    assert error.kind == "provider_error"
    assert str(error).endswith(": <html>")


@every
async def test_silence_before_and_after_the_first_chunk_is_told_apart(dialect: Dialect) -> None:
    no_chunk = StreamLimits(first_chunk_seconds=0.5, stall_seconds=SECONDS)
    no_more = StreamLimits(first_chunk_seconds=SECONDS, stall_seconds=0.1)
    quiet, stuck = Reply([Silence()]), Reply([*dialect.hello, Silence()])
    async with asked_of(dialect, quiet, stuck) as (llm, server):
        while not server.asked:  # a busy machine may be given up before it has asked
            assert (await failure_of(LimitedLlm(llm, no_chunk), request())).kind == "first_chunk_timeout"
        async with asyncio.timeout(SECONDS):
            await server.left.wait()
        assert (await failure_of(LimitedLlm(llm, no_more), request())).kind == "stalled"


@every
async def test_who_stops_listening_hangs_up_at_once(dialect: Dialect) -> None:
    async with asked_of(dialect, Reply([*dialect.hello, Silence()])) as (llm, server), asyncio.timeout(SECONDS):
        async with aclosing(llm.stream(request())) as stream:
            async for part in stream:
                if isinstance(part, Delta) and part.text:
                    break
            assert not server.left.is_set()
        await server.left.wait()


@every
async def test_who_is_cancelled_hangs_up_at_once(dialect: Dialect) -> None:
    async with asked_of(dialect, Reply([*dialect.hello, Silence()])) as (llm, server), asyncio.timeout(SECONDS):
        call = asyncio.create_task(answer_of(llm, request()))
        await eventually(lambda: first_asked(server), "a request")
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await server.left.wait()


@without_a_cloud
async def test_without_a_key_the_providers_own_address_is_not_asked(dialect: Dialect) -> None:
    assert dialect.key is not None
    llm = dialect.adapter(ModelSettings(model=dialect.model))
    error = await failure_of(llm, request())
    await llm.aclose()
    assert (error.kind, str(error)) == ("credentials", dialect.key.missing)


@with_a_key
async def test_a_key_that_fits_no_header_is_not_quoted(dialect: Dialect) -> None:
    async with asked_of(dialect, api_key="sk-\u00e9\nplanted") as (llm, server):
        error = await failure_of(llm, request())
    assert error.kind == "credentials"
    assert "planted" not in str(error)
    assert server.asked == []


@with_a_key
async def test_blanks_around_a_key_do_no_harm(dialect: Dialect) -> None:
    async with asked_of(dialect, dialect.refusal(400), api_key=f" {KEY}\n") as (llm, server):
        await failure_of(llm, request())
    assert dialect.key is not None
    assert server.asked[0].headers[dialect.key.header] == f"{dialect.key.prefix}{KEY}"


@without_a_cloud
async def test_variables_of_the_sdks_do_not_lead_elsewhere(dialect: Dialect, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with asked_of(dialect, dialect.refusal(400), api_key=None) as (llm, server):
        await failure_of(llm, request())
    assert len(server.asked) == 1
