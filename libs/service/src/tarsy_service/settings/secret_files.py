"""Secrets from files: for each setting that is a SecretStr, `TARSY_X_FILE` names a file that holds the value."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import SecretStr, field_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from tarsy_service.errors import ServiceError

PREFIX = "TARSY_"
SUFFIX = "_FILE"


def is_secret(field: FieldInfo) -> bool:
    return field.annotation is SecretStr


def variable_of(setting: str) -> str:
    return f"{PREFIX}{setting.upper()}"


class SecretFileError(ServiceError, ValueError):
    """The file of a secret cannot be read, or the secret is also set itself. The operator corrects it."""


def read_secret_file(setting: str, environ: Mapping[str, str]) -> str | None:
    """The content without the newline at its end; None where no file is named. Raises SecretFileError."""
    variable = variable_of(setting)
    naming = f"{variable}{SUFFIX}"
    file = environ.get(naming)
    if not file:
        return None
    if environ.get(variable):
        raise SecretFileError(f"{variable} and {naming} are both set: leave one of them out")
    try:
        # As in the environment, it need not be text.
        return Path(file).read_bytes().decode(errors="surrogateescape").removesuffix("\n")
    except OSError as problem:
        raise SecretFileError(f"{file}, which {naming} names, cannot be read ({problem.strerror})") from None


def split_secrets(listed: SecretStr) -> tuple[bytes, ...]:
    """Secrets with commas between them, as they stand while one is replaced."""
    names = listed.get_secret_value().split(",")
    return tuple(name.strip().encode(errors="surrogateescape") for name in names if name.strip())


class SecretFiles(PydanticBaseSettingsSource):
    """A variable that is empty counts as one that is not set.

    An error stands where the value should: the validator of the field makes it one of the mistakes that are told at
    once.
    """

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[str | SecretFileError | None, str, bool]:
        if not is_secret(field):
            return None, field_name, False
        try:
            return read_secret_file(field_name, os.environ), field_name, False
        except SecretFileError as problem:
            return problem, field_name, False

    def __call__(self) -> dict[str, object]:
        values = {name: self.get_field_value(field, name)[0] for name, field in self.settings_cls.model_fields.items()}
        return {name: value for name, value in values.items() if value is not None}


class SettingsWithSecretFiles(BaseSettings):
    """Base of all settings classes."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, extra="ignore", frozen=True, hide_input_in_errors=True, validate_default=True
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, SecretFiles(settings_cls), env_settings

    @field_validator("*", mode="before")
    @classmethod
    def _raise_mistake(cls, value: object) -> object:
        if isinstance(value, SecretFileError):
            raise value
        return value


def variables_of(settings: type[BaseSettings]) -> Iterator[str]:
    """All variables that the settings are read from, those that name files of secrets among them."""
    for name, field in settings.model_fields.items():
        yield variable_of(name)
        if is_secret(field):
            yield f"{variable_of(name)}{SUFFIX}"
