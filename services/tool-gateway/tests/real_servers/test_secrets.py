"""Secrets that a real server hands out, through the whole gateway: what is reported holds none of them."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from gateway_owner import Owner, call

from real_servers.subjects import KUBERNETES
from real_servers.talking import Serve, plan
from tarsy_testing.servers.mcp_kubernetes import NAMESPACE, PASSWORD, PASSWORD_BASE64, POD, SECRET, TOKEN

type Running = Callable[..., AbstractAsyncContextManager[Any]]


async def test_secrets_of_kubernetes_come_out_masked_and_the_rest_as_it_was(
    serve: Serve, owner: Owner, running: Running
) -> None:
    server = "kubernetes"
    requests = [
        call(
            "resources_get",
            server=server,
            repeatable=True,
            apiVersion="v1",
            kind="Secret",
            namespace=NAMESPACE,
            name=SECRET,
        ),
        call("resources_list", server=server, repeatable=True, apiVersion="v1", kind="Secret", namespace=NAMESPACE),
        call("pods_log", server=server, repeatable=True, namespace=NAMESPACE, name=POD),
        call("configuration_view", server=server, repeatable=True),
    ]
    async with running(plan(server, serve(KUBERNETES, "http"))):
        for request in requests:
            await owner.ask(request)
        results = [await owner.result(request) for request in requests]

    assert [result.outcome for result in results] == ["ok"] * 4
    one, several, log, configuration = (result.content for result in results)
    for text in (one, several, log, configuration):
        assert "[MASKED_" in text
        assert not [secret for secret in (PASSWORD, PASSWORD_BASE64, TOKEN) if secret in text]
    assert f"name: {SECRET}" in one
    assert f"name: {SECRET}" in several
    assert "FATAL: too many connections" in log
    assert "current-context: small" in configuration
