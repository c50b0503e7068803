"""Starts a real node: etcd, the control plane, containerd, kubelet, kube-proxy, CoreDNS."""

import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tarsy_ground.cluster.addresses import API_SERVER, BRIDGE, NODE, NODE_ADDRESS, SERVICES
from tarsy_ground.cluster.components import IDENTITIES, NodeFiles, control_plane, etcd, node_agents
from tarsy_ground.cluster.kubectl import Kubectl
from tarsy_ground.cluster.pki import ClusterAuthority
from tarsy_ground.control_groups import add_control_groups, remove_control_groups
from tarsy_ground.kernel_settings import unchanged_kernel_settings
from tarsy_ground.network import UPLINK, NetworkNamespace
from tarsy_ground.programs import ETCD, KUBERNETES, build_programs
from tarsy_ground.sandbox import Sandbox, running_sandbox
from tarsy_processes.child import ChildProcess

MANIFESTS = Path(__file__).resolve().parent / "manifests"
IMPORT = "import"
"""The only program that ends by itself."""
START_SECONDS = 120.0
IMPORT_SECONDS = 300.0
COMMAND_SECONDS = 30.0
LOOK_SECONDS = 0.2


@contextmanager
def running_node(folder: Path, network: NetworkNamespace, archives: Sequence[Path], cache: Path) -> Iterator[Kubectl]:
    """Its pods see the images of `archives` alone. Everything of it ends, and goes, with the context."""
    programs = build_programs(KUBERNETES, cache)
    with unchanged_kernel_settings(), running_sandbox(folder, network) as sandbox:
        add_control_groups(network.name)
        try:
            kubectl = Kubectl(programs / "kubectl", NodeFiles(folder).pki / "admin.conf", sandbox)
            _start(sandbox, kubectl, programs, build_programs(ETCD, cache), archives)
            yield kubectl
        finally:
            sandbox.kill()
            remove_control_groups(network.name)


def _start(sandbox: Sandbox, kubectl: Kubectl, programs: Path, etcd_programs: Path, archives: Sequence[Path]) -> None:
    files = NodeFiles(sandbox.folder)
    authority = ClusterAuthority(files.pki, API_SERVER)
    for name, identity in IDENTITIES.items():
        authority.sign(name, identity)
    authority.write_token_keys()
    files.write(sandbox.network.name)
    _make_bridge(sandbox)
    sandbox.start("etcd", etcd(etcd_programs, sandbox.folder))
    sandbox.start("containerd", ["/usr/bin/containerd", f"--config={sandbox.folder}/containerd.toml"])
    planes = control_plane(programs, files.pki)
    sandbox.start("apiserver", planes["apiserver"])
    _until(sandbox, lambda: _succeeds(sandbox, *_ctr(sandbox), "version"))
    importing = _start_import(sandbox, archives)
    _until(sandbox, lambda: kubectl.try_run("get", "--raw", "/readyz") is not None)
    for name in ("controller-manager", "scheduler"):
        sandbox.start(name, planes[name])
    for manifest in ("api-server.yaml", "kube-proxy.yaml"):
        kubectl.run("apply", "-f", str(MANIFESTS / manifest))
    # A kubelet without the image of its pauses would ask a registry for it.
    _await_import(sandbox, importing)
    for name, command in node_agents(programs, files).items():
        sandbox.start(name, command)
    _until(sandbox, lambda: kubectl.try_run("get", "node", NODE) is not None)
    kubectl.run("wait", "--for=condition=Ready", f"node/{NODE}", "--timeout=90s")
    kubectl.run("apply", "-f", str(MANIFESTS / "coredns.yaml"))


def import_images(sandbox: Sandbox, archives: Sequence[Path]) -> None:
    """Into a node that runs."""
    _await_import(sandbox, _start_import(sandbox, archives))


def _start_import(sandbox: Sandbox, archives: Sequence[Path]) -> ChildProcess:
    imports = [" ".join((*_ctr(sandbox), "images", "import", str(each))) for each in archives]
    return sandbox.start(IMPORT, ["/bin/sh", "-c", " && ".join(imports)])


def _await_import(sandbox: Sandbox, importing: ChildProcess) -> None:
    _until(sandbox, lambda: importing.poll_exit() is not None, IMPORT_SECONDS)
    if importing.poll_exit() != 0:
        raise RuntimeError(f"ctr images import: {importing.last_lines()}")


def _ctr(sandbox: Sandbox) -> tuple[str, ...]:
    return ("/usr/bin/ctr", f"--address={NodeFiles(sandbox.folder).containerd_socket}", "--namespace=k8s.io")


def _make_bridge(sandbox: Sandbox) -> None:
    """Before the first pod, since the API server and the kubelet have its address.

    While kube-proxy writes its rules, an address of a Service may have none: nobody outside may answer instead.
    """
    stray = ("-o", UPLINK, "-d", SERVICES, "-j", "REJECT")
    for command in (
        *(("iptables", "-w", "-A", chain, *stray) for chain in ("OUTPUT", "FORWARD")),
        ("ip", "link", "add", BRIDGE, "type", "bridge"),
        ("ip", "address", "add", f"{NODE_ADDRESS}/24", "dev", BRIDGE),
        ("ip", "link", "set", BRIDGE, "up"),
        ("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"),
        ("sh", "-c", "echo 1 > /proc/sys/net/bridge/bridge-nf-call-iptables"),
    ):
        done = subprocess.run(
            sandbox.command(*command), capture_output=True, text=True, timeout=COMMAND_SECONDS, check=False
        )
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr}")


def _succeeds(sandbox: Sandbox, *command: str) -> bool:
    done = subprocess.run(sandbox.command(*command), capture_output=True, timeout=COMMAND_SECONDS, check=False)
    return done.returncode == 0


def _until(sandbox: Sandbox, holds: Callable[[], bool], seconds: float = START_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        if sandbox.ended().keys() - {IMPORT} or time.monotonic() > deadline:
            raise RuntimeError(f"the node does not start: {sandbox.describe() or sandbox.folder}")
        time.sleep(LOOK_SECONDS)
