"""The programs of a node with their options, and the files that they read."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from tarsy_ground.cluster.addresses import (
    API_PORT,
    API_SERVICE,
    BRIDGE,
    DNS_SERVICE,
    ETCD,
    INGRESS_HOST,
    NODE,
    NODE_ADDRESS,
    PAUSE,
    PODS,
    SERVICES,
)
from tarsy_ground.cluster.pki import Identity

IDENTITIES: Mapping[str, Identity] = {
    "admin": Identity("admin", "system:masters"),
    "apiserver": Identity(
        "kube-apiserver",
        names=(
            "127.0.0.1",
            API_SERVICE,
            NODE_ADDRESS,
            "kubernetes.default.svc",
            "kubernetes.default.svc.cluster.local",
        ),
    ),
    "controller-manager": Identity("system:kube-controller-manager"),
    "scheduler": Identity("system:kube-scheduler"),
    "kubelet": Identity(f"system:node:{NODE}", "system:nodes", ("127.0.0.1", NODE_ADDRESS, NODE)),
    "kube-proxy": Identity("system:kube-proxy"),
    "front-proxy": Identity("front-proxy-client"),
    "ingress": Identity("ingress", names=(INGRESS_HOST, NODE_ADDRESS)),
}


@dataclass(frozen=True, slots=True)
class NodeFiles:
    folder: Path

    @property
    def pki(self) -> Path:
        return self.folder / "pki"

    @property
    def containerd_socket(self) -> Path:
        """In the folder that is the sandbox's own. A path of a socket has at most 108 bytes."""
        return Path("/run/node-containerd/containerd.sock")

    def write(self, control_group: str) -> None:
        (self.folder / "cni").mkdir()
        (self.folder / "cni" / "10-pods.conflist").write_text(json.dumps(_CNI), "utf-8")
        (self.folder / "containerd.toml").write_text(self._containerd(), "utf-8")
        (self.folder / "kubelet.yaml").write_text(yaml.safe_dump(self._kubelet(control_group)), "utf-8")
        # Pods with the node's names get no server of names.
        (self.folder / "resolv.conf").write_text("nameserver 127.0.0.1\n", "utf-8")

    def _containerd(self) -> str:
        return f"""version = 2
root = "{self.folder}/containerd"
state = "{self.containerd_socket.parent}"
[grpc]
  address = "{self.containerd_socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{PAUSE}"
  # Without CAP_SYS_RESOURCE runc may not lower the score of its first process.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "{self.folder}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
"""

    def _kubelet(self, control_group: str) -> object:
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            "authentication": {
                "anonymous": {"enabled": False},
                "webhook": {"enabled": True},
                "x509": {"clientCAFile": f"{self.pki}/ca.crt"},
            },
            "authorization": {"mode": "Webhook"},
            "tlsCertFile": f"{self.pki}/kubelet.crt",
            "tlsPrivateKeyFile": f"{self.pki}/kubelet.key",
            "containerRuntimeEndpoint": f"unix://{self.containerd_socket}",
            "cgroupDriver": "cgroupfs",
            "cgroupRoot": f"/{control_group}",
            "failSwapOn": False,
            "failCgroupV1": False,
            "clusterDNS": [DNS_SERVICE],
            "clusterDomain": "cluster.local",
            "resolvConf": f"{self.folder}/resolv.conf",
            "enforceNodeAllocatable": [],
            "evictionHard": {"memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
            "imageGCHighThresholdPercent": 100,
            "serializeImagePulls": False,
            # A change of a ConfigMap or a Secret is seen within this time.
            "syncFrequency": "5s",
            "maxPods": 100,
        }


_CNI = {
    "cniVersion": "0.4.0",
    "name": "pods",
    "plugins": [
        {
            "type": "bridge",
            "bridge": BRIDGE,
            "isGateway": True,
            "ipMasq": True,
            "hairpinMode": True,
            "ipam": {"type": "host-local", "ranges": [[{"subnet": PODS}]], "routes": [{"dst": "0.0.0.0/0"}]},
        },
        {"type": "portmap", "capabilities": {"portMappings": True}},
    ],
}


def control_plane(programs: Path, pki: Path) -> Mapping[str, list[str]]:
    """All but etcd, which the API server waits for."""
    return {
        "apiserver": _api_server(programs, pki),
        "controller-manager": [
            f"{programs}/kube-controller-manager",
            f"--kubeconfig={pki}/controller-manager.conf",
            f"--authentication-kubeconfig={pki}/controller-manager.conf",
            f"--authorization-kubeconfig={pki}/controller-manager.conf",
            f"--service-account-private-key-file={pki}/tokens.key",
            f"--root-ca-file={pki}/ca.crt",
            f"--cluster-signing-cert-file={pki}/ca.crt",
            f"--cluster-signing-key-file={pki}/ca.key",
            "--use-service-account-credentials",
            "--leader-elect=false",
            "--horizontal-pod-autoscaler-sync-period=5s",
        ],
        "scheduler": [f"{programs}/kube-scheduler", f"--kubeconfig={pki}/scheduler.conf", "--leader-elect=false"],
    }


def etcd(programs: Path, folder: Path) -> list[str]:
    peers = "http://127.0.0.1:12380"
    return [
        f"{programs}/server",
        f"--data-dir={folder}/etcd",
        f"--listen-client-urls={ETCD}",
        f"--advertise-client-urls={ETCD}",
        f"--listen-peer-urls={peers}",
        f"--initial-advertise-peer-urls={peers}",
        f"--initial-cluster=default={peers}",
        "--unsafe-no-fsync",
        "--log-level=error",
    ]


def _api_server(programs: Path, pki: Path) -> list[str]:
    return [
        f"{programs}/kube-apiserver",
        f"--etcd-servers={ETCD}",
        f"--secure-port={API_PORT}",
        "--bind-address=0.0.0.0",
        f"--advertise-address={NODE_ADDRESS}",
        # It listens on loopback and the bridge, so nobody else knows the address of its Service.
        "--endpoint-reconciler-type=none",
        f"--tls-cert-file={pki}/apiserver.crt",
        f"--tls-private-key-file={pki}/apiserver.key",
        f"--client-ca-file={pki}/ca.crt",
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        "--allow-privileged=true",
        "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
        f"--service-account-key-file={pki}/tokens.pub",
        f"--service-account-signing-key-file={pki}/tokens.key",
        f"--kubelet-certificate-authority={pki}/ca.crt",
        f"--kubelet-client-certificate={pki}/admin.crt",
        f"--kubelet-client-key={pki}/admin.key",
        "--kubelet-preferred-address-types=InternalIP",
        f"--requestheader-client-ca-file={pki}/ca.crt",
        "--requestheader-allowed-names=front-proxy-client",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        f"--proxy-client-cert-file={pki}/front-proxy.crt",
        f"--proxy-client-key-file={pki}/front-proxy.key",
        "--enable-aggregator-routing=true",
        f"--service-cluster-ip-range={SERVICES}",
    ]


def node_agents(programs: Path, files: NodeFiles) -> Mapping[str, list[str]]:
    return {
        "kubelet": [
            f"{programs}/kubelet",
            f"--kubeconfig={files.pki}/kubelet.conf",
            f"--config={files.folder}/kubelet.yaml",
            f"--hostname-override={NODE}",
            f"--node-ip={NODE_ADDRESS}",
            f"--root-dir={files.folder}/kubelet",
        ],
        "kube-proxy": [
            f"{programs}/kube-proxy",
            f"--kubeconfig={files.pki}/kube-proxy.conf",
            f"--hostname-override={NODE}",
            "--proxy-mode=iptables",
            "--conntrack-max-per-core=0",
            "--conntrack-tcp-timeout-established=0s",
            "--conntrack-tcp-timeout-close-wait=0s",
            f"--cluster-cidr={PODS}",
        ],
    }
