"""An upgrade loses no alert: they come once a second while every pod is replaced."""

from pathlib import Path

from tarsy_ground.cluster.earlier import check_out_earlier
from tarsy_ground.cluster.installation import RELEASE, Installation
from tarsy_ground.cluster.reconfiguration import ConfiguredTarsy
from tarsy_testing.chart import FRONT_DOOR
from tarsy_testing.waiting import wait_until


def test_every_alert_is_investigated_while_tarsy_is_upgraded(configured: ConfiguredTarsy, tmp_path: Path) -> None:
    """What is uninstalled first leaves its topics and tables to the earlier one."""
    tarsy = configured.tarsy
    tarsy.helm("uninstall", RELEASE, "--wait")
    tarsy.install(configured.files, check_out_earlier(tmp_path))
    earlier, door = _services(tarsy), tarsy.door()
    with door.steady_alerts("quick") as sessions:
        tarsy.install(configured.files)
        wait_until(lambda: not earlier & _services(tarsy))
    assert len(sessions) > len(earlier)
    assert set(door.ends(sessions).values()) == {"completed"}


def _services(tarsy: Installation) -> set[str]:
    """The pods of our own services, old ones that are still ending among them."""
    return {pod for pod, component in tarsy.pods().items() if component != FRONT_DOOR}
