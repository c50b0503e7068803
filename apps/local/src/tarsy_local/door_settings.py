"""HTTP settings of the door that people come to: they are checked before anything starts, so little is imported."""

from collections.abc import Mapping

from tarsy_service.settings.http import HttpSettings, names_of

HOSTS = "TARSY_HOSTS"


def door_settings(http_host: str, base_path: str, around: Mapping[str, str]) -> HttpSettings:
    """HTTP settings of the door that people come to. `around` is the environment. Raises ValidationError."""
    return HttpSettings(http_host=http_host, base_path=base_path, hosts=list_allowed_names(http_host, around))


def list_allowed_names(http_host: str, around: Mapping[str, str]) -> str:
    """Names of the front door count behind it, too: requests keep their Host."""
    return ",".join(filter(None, [around.get(HOSTS, ""), *names_of(http_host)]))
