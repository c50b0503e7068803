"""Reader of the switch that holds actions, beside the servers in the catalog."""

from tarsy_bus.readers.partition_reader import Record
from tarsy_bus.readers.records import parse_message
from tarsy_contracts.messages.actions import SWITCH_KEY, ActionsSwitched

KINDS = {ActionsSwitched.type: ActionsSwitched}


class ActionSwitch:
    """`last` is the last record of the switch; None before there was one."""

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
        switched = None if record.value is None else parse_message(record, KINDS, "action_switch.unreadable")
        self.last = switched or self.last
        return True
