"""Reader of the switch that holds actions, beside the servers in the catalog."""

import structlog

from tarsy_bus.readers.partition_reader import Record, parse_record
from tarsy_contracts.events.recorded import UnknownTypeError, UnreadableValueError
from tarsy_contracts.messages.actions import SWITCH_KEY, ActionsSwitched

log = structlog.get_logger(__name__)

KINDS = {ActionsSwitched.type: ActionsSwitched}


class ActionSwitch:
    """`last` is what was said last; None before anybody said anything."""

    def __init__(self) -> None:
        self.last: ActionsSwitched | None = None

    @property
    def pause(self) -> ActionsSwitched | None:
        """Returns the record that paused actions; None while they go on."""
        return self.last if self.last is not None and self.last.paused else None

    def take(self, record: Record) -> bool:
        """Returns whether the record is about the switch. One that cannot be read changes nothing."""
        if record.key != SWITCH_KEY.encode():
            return False
        delivery = None if record.value is None else parse_record(record)
        if delivery is not None:
            try:
                self.last = delivery.decode(KINDS)
            except (UnknownTypeError, UnreadableValueError) as problem:
                log.warning("action_switch.unreadable", offset=record.offset, reason=str(problem))
        return True
