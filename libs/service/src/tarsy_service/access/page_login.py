"""Login of the page, as a route finds it."""

from fastapi import Request

from tarsy_auth.login import Login
from tarsy_service.access.http_policy import FindLogin


async def login_of(request: Request) -> Login | None:
    """None where nobody can log in."""
    find: FindLogin | None = request.app.state.find_login
    return None if find is None else await find()
