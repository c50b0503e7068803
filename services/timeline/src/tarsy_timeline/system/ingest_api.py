"""The ingest's API, as the timeline asks it: the ingest has the configuration, the timeline has none."""

import asyncio
from collections.abc import Mapping

import httpx2
import structlog
from fastapi.exceptions import RequestValidationError

from tarsy_contracts.api.alert_choices import AlertChoices, JudgedChoices
from tarsy_contracts.budgets import ConfiguredBudgets
from tarsy_contracts.prices import ModelPrices
from tarsy_egress.clients import inside_client
from tarsy_service.http.problems import ProblemError

log = structlog.get_logger(__name__)

UNAVAILABLE = "The ingest, which has the configuration, does not answer: the names cannot be checked. Try again."

FAILURES = (httpx2.HTTPError, TimeoutError, ValueError)


class IngestApi:
    def __init__(self, url: str, headers: Mapping[str, str], seconds: float) -> None:
        self._url = url
        self._headers = headers
        self._seconds = seconds

    async def judge(self, choices: AlertChoices) -> JudgedChoices:
        """Choices without a mistake. Raises RequestValidationError with every mistake, or ProblemError."""
        try:
            content = choices.model_dump_json(exclude_unset=True)
            judged = JudgedChoices.model_validate_json(
                await self._send_request("POST", "/internal/v1/alert-choices", content)
            )
        except FAILURES as problem:
            log.warning("ingest.unavailable", url=self._url, reason=repr(problem))
            raise ProblemError(503, "Service unavailable", UNAVAILABLE) from problem
        if judged.mistakes:
            rows = [{"loc": ("body", *mistake.place), "msg": mistake.text} for mistake in judged.mistakes]
            raise RequestValidationError(rows)
        return judged

    async def prices(self) -> ModelPrices:
        """Raises one of FAILURES, also while the ingest is of a version that has none."""
        return ModelPrices.model_validate_json(await self._send_request("GET", "/internal/v1/prices"))

    async def budgets(self) -> ConfiguredBudgets:
        """Raises one of FAILURES, also while the ingest is of a version that has none."""
        return ConfiguredBudgets.model_validate_json(await self._send_request("GET", "/internal/v1/budgets"))

    async def _send_request(self, method: str, path: str, content: str | None = None) -> bytes:
        """Raises one of FAILURES."""
        # A client for each request: these are few, and it may be of any event loop.
        async with (
            asyncio.timeout(self._seconds),
            inside_client(self._url, seconds=self._seconds) as client,
        ):
            headers = {"content-type": "application/json", **self._headers}
            answer = await client.request(method, path, content=content, headers=headers)
        answer.raise_for_status()
        return answer.content
