"""Claims of digests: what the notifier asks of the timeline, and is answered."""

from typing import Annotated, Literal

from pydantic import Field

from tarsy_contracts.api.digests.usage_digest import DigestDay, UsageDigest
from tarsy_contracts.api.model import ApiModel


class DigestClaim(ApiModel):
    """The digest that ends with the day `last`, for a receiver. None but `holder` gets the claim for `seconds`."""

    last: DigestDay
    receiver: str = Field(max_length=200)
    holder: str = Field(max_length=200)
    seconds: Annotated[float, Field(gt=0, le=600)]


class ClaimedDigest(ApiModel):
    """`claimed`: the caller sends `digest`, which has this `id` for ever. `taken`: another process sends it now.
    `sent`: it was sent.
    """

    state: Literal["claimed", "taken", "sent"]
    id: str = ""
    digest: UsageDigest | None = None


class SentDigest(ApiModel):
    """The receiver has the digest that ends with this day, or refused it."""

    last: DigestDay
    receiver: str = Field(max_length=200)
