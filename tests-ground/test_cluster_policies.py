"""NetworkPolicies of the chart, enforced on the node: who reaches whom."""

from tarsy_ground.cluster.policies import enforced_policies
from tarsy_ground.cluster.reconfiguration import ConfiguredTarsy

CALLERS = {
    "tarsy-front-door": {"ingest", "timeline", "websocket-gateway"},
    "tarsy-websocket-gateway": {"timeline"},
    "tarsy-notifier": {"timeline"},
    "tarsy-timeline": {"ingest"},
    "tarsy-tool-gateway": set(),
    "kafka": set(),
}
"""By the Deployment that asks: the services that it reaches."""
SERVICES = ("ingest", "orchestrator", "tool-gateway", "summarizer", "timeline", "websocket-gateway", "notifier")
CONNECT = """for one in {}; do
    (timeout 2 bash -c "exec 3<>/dev/tcp/tarsy-$one/8080" 2>/dev/null && echo $one) &
done; wait"""


def test_each_service_is_reached_by_its_callers_alone(configured: ConfiguredTarsy) -> None:
    tarsy = configured.tarsy
    tarsy.wait_until_available()
    assert _reached(configured, "kafka") == set(SERVICES), "without rules everybody is let in"
    with enforced_policies(tarsy.kubectl, "tarsy"):
        assert {caller: _reached(configured, caller) for caller in CALLERS} == CALLERS
        door = tarsy.door()
        session = door.send("quick")
        assert door.ends([session]) == {session: "completed"}


def _reached(configured: ConfiguredTarsy, deployment: str) -> set[str]:
    command = ("bash", "-c", CONNECT.format(" ".join(SERVICES)))
    return set(configured.tarsy.run("exec", f"deployment/{deployment}", "--", *command).split())
