"""Decisions of people about a memory of a session: it is changed, or forgotten. Pure."""

from tarsy_contracts import events as e
from tarsy_contracts.memory import MemoryChange
from tarsy_contracts.messages import inputs as i
from tarsy_session.decisions.chat import accept, refuse
from tarsy_session.state import AtRest, Investigating

NO_SUCH_MEMORY = "the session has no such memory"
NO_TEXT = "a memory without text is none: have it forgotten"
NOTHING_TO_CHANGE = "nothing is to be changed: name what is"


def change_memory(state: Investigating | AtRest, request: i.MemoryChangeRequested) -> list[e.Event]:
    """A memory that was forgotten is as if it had never been."""
    if request.request_id in state.answers:
        return []
    kind = e.EDIT_MEMORY if request.act == "edit" else e.FORGET_MEMORY
    memory = state.memories.get(request.memory_id)
    if memory is None:
        return [refuse(request, kind, 404, NO_SUCH_MEMORY)]
    id, asked, author = request.memory_id, request.request_id, request.author
    if request.act == "forget":
        return [accept(request, kind), e.MemoryErased(memory_id=id, request_id=asked, author=author)]
    if request.change == MemoryChange():
        return [refuse(request, kind, 400, NOTHING_TO_CHANGE)]
    if request.change.text is not None and not request.change.text.strip():
        return [refuse(request, kind, 400, NO_TEXT)]
    changed = request.change.apply(memory)
    return [accept(request, kind), e.MemoryEdited(memory_id=id, request_id=asked, author=author, memory=changed)]
