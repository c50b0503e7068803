"""What may be changed while TARSy runs: configuration, keys, and how many tool gateways there are."""

import secrets

from tarsy_auth.api_keys import new_key
from tarsy_ground.cluster.doors import Door
from tarsy_ground.cluster.reconfiguration import ConfiguredTarsy
from tarsy_testing.waiting import wait_until

LISTED = "/api/v1/sessions"
GATEWAY = "deployment/tarsy-tool-gateway"


def test_a_changed_config_map_is_read_without_a_restart(configured: ConfiguredTarsy) -> None:
    assert configured.pods_after == configured.pods_before
    door = configured.tarsy.door()
    session = door.send("quick")
    assert door.ends([session]) == {session: "completed"}


def test_a_key_opens_while_the_secret_has_it(configured: ConfiguredTarsy) -> None:
    tarsy, door, key = configured.tarsy, configured.tarsy.door(), new_key(secrets.token_bytes)
    pods = tarsy.pods()
    assert door.ask(LISTED, key=key).status_code == 401
    tarsy.write_keys(reader=key)
    wait_until(lambda: door.ask(LISTED, key=key).status_code == 200)
    tarsy.write_keys()
    wait_until(lambda: door.ask(LISTED, key=key).status_code == 401)
    assert tarsy.pods() == pods


def test_no_call_is_lost_while_tool_gateways_come_and_go(configured: ConfiguredTarsy) -> None:
    """Calls that may be made twice run again elsewhere; a gateway that ends waits for the others."""
    tarsy, door = configured.tarsy, configured.tarsy.door()
    sessions = [door.send(kind) for kind in ("patient", "deleting") * 2]
    _scale(configured, 3)
    tarsy.run("rollout", "status", GATEWAY, "--timeout=120s")
    later = [door.send(kind) for kind in ("patient", "deleting") * 4]
    wait_until(lambda: all(_calls_a_tool(door, session) for session in later))
    _scale(configured, 1)
    assert set(door.ends([*sessions, *later]).values()) == {"completed"}


def _scale(configured: ConfiguredTarsy, replicas: int) -> None:
    configured.tarsy.run("scale", GATEWAY, f"--replicas={replicas}")


def _calls_a_tool(door: Door, session: str) -> bool:
    return "llm_tool_call" in door.ask(f"/api/v1/sessions/{session}/timeline").text
