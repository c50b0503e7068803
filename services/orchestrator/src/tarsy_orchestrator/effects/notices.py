"""Messages of an owner: what it noticed, into its own inbox, and what workers and requesters wait for."""

from tarsy_bus.client.publisher import Publisher
from tarsy_contracts.messages.control import Control, RequestAnswered
from tarsy_contracts.messages.inputs import DeadlinePassed, WorkerDied
from tarsy_contracts.wire.ids import derive_id, report_id, session_traceparent


async def publish_notice(
    publisher: Publisher, partition: int, session_id: str, noticed: WorkerDied | DeadlinePassed
) -> None:
    """Publishes into the owner's own inbox: it is decided behind everything that was reported before."""
    await publisher.publish(
        publisher.topics.inbox,
        noticed,
        key=session_id,
        id=report_id(noticed.type, noticed.call_id),
        subject=session_id,
        partition=partition,
        traceparent=session_traceparent(session_id),
    )


async def publish_control(publisher: Publisher, session_id: str, control: Control) -> None:
    key = control.request_id if isinstance(control, RequestAnswered) else control.call_id
    await publisher.publish(
        publisher.topics.control,
        control,
        key=key,
        id=derive_id(control.type, key),
        subject=session_id,
        traceparent=session_traceparent(session_id),
    )
