"""Keys of people, senders and services, and the Secret with auth.yaml that the chart names."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from secrets import token_bytes

import yaml
from pydantic import JsonValue

from tarsy_auth.api_keys import digest_of, new_key

SECRET = "tarsy-auth"


def _key() -> str:
    return new_key(token_bytes)


@dataclass(frozen=True, slots=True)
class Keys:
    """`operator` is the test's own. `others` are further ones, with the names that stand in auth.yaml."""

    operator: str = field(default_factory=_key)
    services: str = field(default_factory=_key)

    def secret(self, namespace: str, others: Mapping[str, str], sections: Mapping[str, JsonValue]) -> str:
        """As a manifest. Those of `others` may read. `sections` are further ones of auth.yaml."""
        entries = [_entry("operator", "operator", self.operator), _entry("services", "service", self.services)]
        entries += [_entry(name, "viewer", key) for name, key in others.items()]
        manifest = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": SECRET, "namespace": namespace},
            "stringData": {"auth.yaml": yaml.safe_dump({"keys": entries, **sections}), "api-key": self.services},
        }
        return json.dumps(manifest)


def _entry(name: str, role: str, key: str) -> Mapping[str, str]:
    return {"name": name, "role": role, "sha256": digest_of(key)}
