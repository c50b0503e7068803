"""Secrets of receivers: asked for only where notifications are sent, so that no other service has to be given them."""

from collections.abc import Mapping, Sequence

from tarsy_config.config import Config
from tarsy_config.document.key_paths import find_values
from tarsy_config.document.plain_data import Document
from tarsy_config.errors import KeyPath


def receiver_secrets_are_set(documents: Sequence[Document], config: Config, environ: Mapping[str, str]) -> None:
    """A check for `load_config`: every receiver can be told something, and what it gets is signed as configured."""
    for name, receiver in config.receivers.items():
        variable = receiver.secret_variable
        if variable is not None and not environ.get(variable, "").strip():
            path: KeyPath = ("notifications", name) if name in config.notifications else ("system", "slack")
            for document in documents:
                for at, _ in find_values(document.data, path):
                    document.wrong(at, f"needs {variable}", f"set {variable} in the environment of the notifier")
