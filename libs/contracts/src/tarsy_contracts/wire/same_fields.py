"""Models made of others: fields that have the same name in both are not written down again."""

from pydantic import BaseModel


def copy_fields[M: BaseModel](kind: type[M], source: object, **others: object) -> M:
    """A `kind` with the fields of `source` that have the names of its own, and with `others`, which count first.

    Values within are made into the classes of `kind` by their names, too. Raises ValidationError where nobody gives a
    field that has no default.
    """
    same = {name: getattr(source, name) for name in kind.model_fields if hasattr(source, name)}
    return kind.model_validate(same | others, from_attributes=True)
