"""Choices that people have where resources of Strimzi are printed."""

from typing import Literal

type ApiVersion = Literal["v1", "v1beta2"]
type Authentication = Literal["scram-sha-512", "tls", "tls-external"]
