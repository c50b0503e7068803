"""Layout of a cluster: decided for good by its first `tarsy topics apply`."""

from typing import ClassVar

from pydantic import Field

from tarsy_contracts.wire.message import Message


class ClusterLayout(Message):
    """The first record of its topic counts, and no other.

    `log_partitions`: how many partitions of inbox, log and heads are used, whatever number the topics have.
    """

    type: ClassVar[str] = "cluster.layout"
    log_partitions: int = Field(ge=1)
