"""HTTP with a name that no resolver of this machine knows, at the address that has it."""

import ssl

import httpx2


class NamedAddress(httpx2.AsyncHTTPTransport):
    """Each request goes to `address`, whatever name it asks for. The certificate has to have the name."""

    def __init__(self, address: str, trusted: ssl.SSLContext) -> None:
        super().__init__(verify=trusted, trust_env=False)
        self._address = address

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        at_address = httpx2.Request(
            request.method,
            request.url.copy_with(host=self._address),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": request.url.host},
        )
        return await super().handle_async_request(at_address)
