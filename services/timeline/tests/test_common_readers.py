"""Which sessions a session may learn from: those that each of its own readers sees."""

from pathlib import Path

import pytest

from tarsy_auth.session_groups import GroupLabels
from tarsy_contracts.memory import RecallContext
from tarsy_timeline.api.configured_groups import ConfiguredGroups
from tarsy_timeline.queries.common_readers import common_readers

ASKING = RecallContext(session_id="s", alert_type="crash", namespace="shop", labels={"team": "red"})
SHOP = {"namespace": ["shop", "store"]}
RED = {"team": ["red"]}
FILE = """
session_groups:
  shop:
    namespace: [shop]
keys:
  - name: page
    role: service
    sha256: d583dd8b0267ffbcc4e61a5a5b521c11ac12c90bf3d59b63df8b43baad4c912d
"""


@pytest.mark.parametrize(
    ("groups", "found"),
    [
        ([], None),
        ([{"namespace": ["bank"]}], None),
        ([SHOP, {"namespace": ["bank"]}], [SHOP]),
        ([SHOP, RED], [{"namespace": ["shop", "store"], "team": ["red"]}]),
        ([SHOP, {"namespace": ["shop"]}], [{"namespace": ["shop"]}]),
        ([{"namespace": ["shop"], "team": ["blue"]}], None),
    ],
)
def test_the_groups_of_a_session_are_one(groups: GroupLabels, found: GroupLabels | None) -> None:
    assert common_readers(groups, ASKING) == found


async def test_without_an_auth_file_there_are_no_groups() -> None:
    assert await ConfiguredGroups("").all_groups() == []


async def test_groups_hold_as_the_file_has_them_and_one_with_mistakes_never_holds(tmp_path: Path) -> None:
    file = tmp_path / "auth.yaml"
    file.write_text(FILE)
    groups = ConfiguredGroups(str(file))
    assert await groups.all_groups() == [{"namespace": ["shop"]}]
    file.write_text(FILE.replace("[shop]", "[shop, store]"))
    assert await groups.all_groups() == [SHOP]
    file.write_text("session_groups: 1")
    assert await groups.all_groups() == [SHOP]
