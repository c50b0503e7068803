"""Labels of an alert that its sender chose, as `team`, by which sessions are in groups. Pure.

They are read from data that is masked already. A text that does not look like a label is left out.
"""

import re
from collections.abc import Sequence

from tarsy_ingest.intake.facets import LONGEST
from tarsy_ingest.intake.json_fields import NamedObject

MOST = 64
LONGEST_NAME = 100
PROSE = frozenset({"annotations", "commonannotations"})
"""Objects whose texts are for people."""
FACETS = frozenset({"alert_type", "cluster", "namespace", "workload"})
"""A session has these of its own, read from more names than one."""
NAME = re.compile(rf"[^\s=\x00-\x1f\x7f]{{1,{LONGEST_NAME}}}")


def labels_of(objects: Sequence[NamedObject]) -> dict[str, str]:
    """The first of each name. At most so many are kept, those of the outermost object first."""
    found: dict[str, str] = {}
    for name, fields in objects:
        if name in PROSE:
            continue
        for label, value in fields.items():
            if len(found) == MOST:
                return found
            if label not in FACETS and NAME.fullmatch(label) and len(value) <= LONGEST and value.isprintable():
                found.setdefault(label, value)
    return found
