"""The API for people and the page: questions to a finished investigation."""

import asyncio

from fastapi import APIRouter, Request
from fastapi.routing import APIRoute

from tarsy_contracts.api.chat import ChatMessage, ChatMessageSent
from tarsy_contracts.messages.inputs import ChatRequested
from tarsy_contracts.wire.ids import chat_id, message_id, reply_stage_id
from tarsy_masking.masker import Masker
from tarsy_service.http.bounded_routes import create_bounded_route
from tarsy_service.http.described_routes import NOT_JSON, OTHER_BODY, describe_answers, describe_headers
from tarsy_timeline.api.requests.request_handler import BODY_LIMIT_BYTES, RequestHandler
from tarsy_timeline.api.requests.session_commands import SessionCommands
from tarsy_timeline.api.route_words import REPEATED, UNKNOWN_TO_OWNER
from tarsy_timeline.api.session_routes import SessionId

CHAT = "chat"


def chat_routes(commands: SessionCommands, masker: Masker, route: type[APIRoute] = APIRoute) -> APIRouter:
    router = APIRouter(
        prefix="/api/v1/sessions", tags=["sessions"], route_class=create_bounded_route(BODY_LIMIT_BYTES, route)
    )
    handler = RequestHandler(commands, masker)

    @router.post(
        "/{session_id}/chat/messages",
        status_code=202,
        summary="Ask a finished investigation",
        responses=describe_answers(
            {202: "The question was accepted; the ids of the chat, of the question, and of the reply's stage."},
            {
                400: "The question is empty or too long; or the session has not ended, never ran, or has no chat.",
                404: UNKNOWN_TO_OWNER,
                409: "A reply is being written. It is the owner who says so.",
                503: "The question may not have been written: repeat it with the same Idempotency-Key.",
                **NOT_JSON,
                **OTHER_BODY,
            },
        ),
        openapi_extra=describe_headers(REPEATED),
    )
    async def send_chat_message(session_id: SessionId, request: Request, question: ChatMessage) -> ChatMessageSent:
        """Asks a finished investigation. The reply streams over the WebSocket, as the stage `stage_id`.

        400: the session has not ended, never ran, or its chain has no chat. 404: there is no such session. 409: a reply
        is being written. All three are the decision of the session's owner. 413: the body is larger than any question.
        503: Kafka did not take the question.
        """
        content = await asyncio.to_thread(masker.for_session(session_id).mask, question.content)

        def message(id: str, author: str) -> ChatRequested:
            return ChatRequested(request_id=id, author=author, content=content)

        requested, answer = await handler.submit(CHAT, session_id, request, message)
        sent = message_id(session_id, requested)
        return ChatMessageSent(
            session_id=session_id,
            chat_id=chat_id(session_id),
            message_id=sent,
            stage_id=reply_stage_id(sent),
            request_id=requested,
            accepted=answer is not None,
        )

    return router
