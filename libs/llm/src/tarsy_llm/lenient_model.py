"""Lenient models of what providers send: unknown fields are ignored, as servers differ."""

from pydantic import BaseModel, ConfigDict


class LenientModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")
