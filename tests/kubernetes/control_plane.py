# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A real control plane on loopback, unprivileged: etcd and kube-apiserver with RBAC, service accounts and admission as
they come. kube-controller-manager and kwok, whose nodes run nothing, are there for those who start them. Elsewhere what
the tests need of both is played by nodes.py through the API: nobody collects garbage, and nothing makes a service account
in a new namespace."""

import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import time

from api import Api, Refused

ADMIN = "admin-of-these-tests"
SCHEDULER = "kube-scheduler-of-these-tests"  # with the rights that the API server brings for it
CONTROLLERS = "kube-controller-manager-of-these-tests"  # too
POD_GROUPS = ("--feature-gates", "GenericWorkload=true", "--runtime-config", "scheduling.k8s.io/v1beta1=true")  # of the newest minor version
OF_KWOK = {"kubelet": "kwok"}  # the label of nodes that it plays


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def openssl(*words: object) -> None:
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


class Process:
    """A program with its log in a file. It dies with what started it, which alone hears of Ctrl-C."""

    def __init__(self, log: pathlib.Path, *command: object, **more):
        self.log = log
        with log.open("ab") as out:
            dies_with_this = ("setpriv", "--pdeathsig", "KILL")
            self.popen = subprocess.Popen([*dies_with_this, *map(str, command)], stdout=out, stderr=out, stdin=subprocess.DEVNULL,
                                          start_new_session=True, **more)

    def running(self) -> bool:
        return self.popen.poll() is None

    def stop(self, kind: int = signal.SIGTERM, within: float = 20) -> int:
        if self.running():
            self.popen.send_signal(kind)
            try:
                self.popen.wait(within)
            except subprocess.TimeoutExpired:
                self.popen.kill()
        return self.popen.wait()

    def kill(self) -> None:
        self.stop(signal.SIGKILL)


class ControlPlane:
    def __init__(self, programs: pathlib.Path, folder: pathlib.Path, newest: bool = True):
        self.programs, self.folder, self.newest = programs, folder, newest
        self.etcd_port, self.port = free_port(), free_port()
        self.certificates()
        (folder / "tokens").write_text(
            f"{ADMIN},admin,admin,system:masters\n{SCHEDULER},system:kube-scheduler,scheduler\n"
            f"{CONTROLLERS},system:kube-controller-manager,controllers\n")
        self.peer = f"http://127.0.0.1:{free_port()}"
        self.start_etcd()
        self.api = Api(self.port, str(self.authority), ADMIN)
        self.server: Process | None = None
        self.start()

    def start_etcd(self) -> None:
        client = f"http://127.0.0.1:{self.etcd_port}"
        self.etcd = Process(
            self.folder / "etcd.log", self.programs / "etcd", "--name", "one", "--data-dir", self.folder / "etcd", "--unsafe-no-fsync",
            "--log-level", "warn", "--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", self.peer,
            "--initial-advertise-peer-urls", self.peer, "--initial-cluster", f"one={self.peer}")

    def forget_the_past(self) -> None:
        """Compacts etcd up to now: a watch cannot go on from before."""
        now = self.etcd_call("/v3/kv/range", {"key": "AA=="})["header"]["revision"]
        self.etcd_call("/v3/kv/compaction", {"revision": now, "physical": True})

    def etcd_call(self, path: str, body: dict) -> dict:
        connection = http.client.HTTPConnection("127.0.0.1", self.etcd_port, timeout=30)
        try:
            connection.request("POST", path, json.dumps(body))
            answer = connection.getresponse()
            text = answer.read().decode()
            if answer.status != 200:
                raise OSError(f"etcd: {path}: {answer.status} {text}")
            return json.loads(text)
        finally:
            connection.close()

    def certificates(self) -> None:
        at = self.folder
        self.authority = at / "ca.crt"
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", 2, "-subj", "/CN=ca", "-keyout", at / "ca.key", "-out", self.authority)
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=kube-apiserver", "-keyout", at / "server.key", "-out", at / "server.csr")
        (at / "names").write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
        openssl("x509", "-req", "-in", at / "server.csr", "-CA", self.authority, "-CAkey", at / "ca.key", "-CAcreateserial", "-days", 2,
                "-extfile", at / "names", "-out", at / "server.crt")
        openssl("genrsa", "-out", at / "accounts.key", 2048)

    def start(self) -> None:
        at = self.folder
        self.server = Process(
            at / "kube-apiserver.log", self.programs / "kube-apiserver", "--etcd-servers", f"http://127.0.0.1:{self.etcd_port}",
            "--bind-address", "127.0.0.1", "--advertise-address", "127.0.0.1", "--secure-port", self.port,
            "--tls-cert-file", at / "server.crt", "--tls-private-key-file", at / "server.key", "--token-auth-file", at / "tokens",
            "--authorization-mode", "RBAC", "--service-account-issuer", "https://kubernetes.default.svc",
            "--service-account-key-file", at / "accounts.key", "--service-account-signing-key-file", at / "accounts.key",
            "--service-cluster-ip-range", "10.96.0.0/16", "--endpoint-reconciler-type", "none", *(POD_GROUPS if self.newest else ()))
        self.until_ready()

    def until_ready(self, within: float = 600) -> None:
        deadline = time.monotonic() + within
        last: object = None
        while time.monotonic() < deadline:
            for one in (self.etcd, self.server):
                if not one.running():
                    raise SystemExit(f"the control plane ended:\n{one.log.read_text()[-4000:]}")
            try:
                if self.api.call("GET", "/readyz")["text"] == "ok":
                    return
            except (OSError, Refused) as wrong:
                last = wrong
            time.sleep(0.05)
        raise SystemExit(f"the API server is not ready within {within:.0f} s: {last}\n{self.server.log.read_text()[-4000:]}")

    def kill_server(self) -> None:
        self.server.kill()  # one that is asked to end waits long for its watches

    def token(self, namespace: str, account: str) -> str:
        """A token of a service account, as a pod would have it."""
        asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 7200}}
        return self.api.call("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token", asked)["status"]["token"]

    def kubeconfig(self, path: pathlib.Path, token: str) -> pathlib.Path:
        path.write_text(f"""apiVersion: v1
kind: Config
clusters: [{{ name: here, cluster: {{ server: "https://127.0.0.1:{self.port}", certificate-authority: {self.authority} }} }}]
users: [{{ name: bridge, user: {{ token: {token} }} }}]
contexts: [{{ name: here, context: {{ cluster: here, user: bridge }} }}]
current-context: here
""")
        os.chmod(path, 0o600)
        return path

    def kube_scheduler(self, folder: pathlib.Path, name: str, *options: str) -> Process:
        """One that binds the pods with this schedulerName, as it comes but for the limits of its client and these options."""
        config = self.kubeconfig(folder / "kube-scheduler.kubeconfig", SCHEDULER)
        file = folder / "kube-scheduler.yaml"
        file.write_text(f"""apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {{ kubeconfig: {config}, qps: 5000, burst: 10000 }}
leaderElection: {{ leaderElect: false }}
profiles: [{{ schedulerName: {name} }}]
""")
        return Process(folder / "kube-scheduler.log", self.programs / "kube-scheduler", "--config", file, "--bind-address", "127.0.0.1",
                       "--secure-port", free_port(), "--cert-dir", folder / "kube-scheduler", *options)

    def kube_controller_manager(self, folder: pathlib.Path) -> Process:
        """All controllers that are on as it comes. A node without a kubelet is noticed sooner."""
        config = self.kubeconfig(folder / "kube-controller-manager.kubeconfig", CONTROLLERS)
        return Process(
            folder / "kube-controller-manager.log", self.programs / "kube-controller-manager", "--kubeconfig", config,
            "--authentication-kubeconfig", config, "--authorization-kubeconfig", config, "--leader-elect=false",
            "--use-service-account-credentials", "--service-account-private-key-file", self.folder / "accounts.key",
            "--root-ca-file", self.authority, "--bind-address", "127.0.0.1", "--secure-port", free_port(),
            "--cert-dir", folder / "kube-controller-manager", "--node-monitor-period", "1s", "--node-monitor-grace-period", "25s",
            "--node-eviction-rate", "10")

    def kwok(self, folder: pathlib.Path) -> Process:
        """Plays the kubelets of nodes with the label OF_KWOK."""
        label, = (f"{key}={value}" for key, value in OF_KWOK.items())
        return Process(
            folder / "kwok.log", self.programs / "kwok", "--kubeconfig", self.kubeconfig(folder / "kwok.kubeconfig", ADMIN),
            "--config", self.programs / "kwok.yaml", "--manage-nodes-with-label-selector", label, "--node-lease-duration-seconds", 40,
            "--server-address", f"127.0.0.1:{free_port()}", "--node-port", free_port())

    def stop(self) -> None:
        self.server.kill()
        self.etcd.kill()
