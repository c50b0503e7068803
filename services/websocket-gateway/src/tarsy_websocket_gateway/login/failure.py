"""Page of a login that failed: a sentence, and the way to try again."""

from html import escape
from string import Template
from urllib.parse import quote

from starlette.responses import HTMLResponse

from tarsy_auth.login import LoginFailure
from tarsy_websocket_gateway.page_files.routes import INDEX_HEADERS

STATUSES: dict[LoginFailure, int] = {
    "attempt": 400,
    "denied": 403,
    "provider": 502,
    "rejected": 403,
    "without_role": 403,
    "unavailable": 503,
    "ended": 401,
}
"""By what failed."""

PAGE = Template("""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Not logged in · TARSy</title>
<link rel="icon" href="$base/assets/$version/icon.svg">
<link rel="stylesheet" href="$base/assets/$version/bundles/all.css">
</head>
<body>
<header class="top"><a class="brand" href="$base/">TARSy</a></header>
<main>
<h1>Not logged in</h1>
<p role="alert">$sentence</p>
<p><a href="$base/login?to=$to">Log in again</a></p>
</main>
</body>
</html>
""")


def failure_page(status: int, sentence: str, *, version: str, base_path: str, to: str = "/") -> HTMLResponse:
    """`version`: that of the page's assets. `to`: where the next login ends."""
    address = escape(quote(to, safe="/"))
    text = PAGE.substitute(base=base_path, version=version, sentence=escape(sentence), to=address)
    return HTMLResponse(text, status, headers=INDEX_HEADERS)
