# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""By what the bridge comes to the API server, what it may there, and what it says to who tries it."""

import subprocess

from api import Api, Refused
from cluster import Case, NAMESPACE, Shared, condition

# The paths of a pod are absolute: what is mounted there is seen in a namespace of this process alone.
IN_A_POD = """
set -e
mount -t tmpfs none /run
mkdir -p /run/secrets/kubernetes.io/serviceaccount
cp "$1/token" "$1/ca.crt" /run/secrets/kubernetes.io/serviceaccount/
shift
exec "$@"
"""


class Access(Case):
    starts = False

    def check(self, *options: str) -> subprocess.CompletedProcess:
        return subprocess.run([Shared.program, "check", "--kubeconfig", self.kubeconfig, "--tenon", f"unix:{self.folder}/tenon.sock", *options],
                              capture_output=True, text=True, timeout=60)

    def without_rights(self) -> None:
        self.kubeconfig = Shared.plane.kubeconfig(self.folder / "other", Shared.plane.token(self.namespace, "default"))

    def test_the_account_may_what_the_bridge_does_and_no_more(self):
        bridge = Api(Shared.plane.port, str(Shared.plane.authority), Shared.plane.token(NAMESPACE, "tenon"))
        self.assertEqual(bridge.list("Node"), [])
        self.node("one")
        self.pod("p")
        for attempt in (
            lambda: bridge.call("GET", "/api/v1/secrets"), lambda: bridge.delete("Node", "one"), lambda: bridge.list("ConfigMap"),
            lambda: bridge.patch("Node", "one", {"spec": {"unschedulable": True}}), lambda: bridge.list("Lease"),
            lambda: bridge.patch("Pod", "p", {"metadata": {"labels": {"a": "b"}}}, self.namespace),
            lambda: bridge.delete("Namespace", self.namespace), lambda: bridge.create("ConfigMap", {"metadata": {"name": "q", "namespace": self.namespace}}),
        ):
            with self.assertRaises(Refused) as refused:
                attempt()
            self.assertEqual(refused.exception.status, 403)

    def test_its_requests_are_served_as_those_of_a_scheduler_and_its_lease_as_a_lease(self):
        def flow(path: str) -> str:
            bridge = Api(Shared.plane.port, str(Shared.plane.authority), Shared.plane.token(NAMESPACE, "tenon"))
            connection = bridge.connection()
            try:
                connection.request("GET", path, headers=bridge.headers())
                uid = connection.getresponse().getheader("X-Kubernetes-PF-FlowSchema-UID")
            finally:
                connection.close()
            return next(one["metadata"]["name"] for one in self.api.list("FlowSchema") if one["metadata"]["uid"] == uid)
        self.until("its flow counts", lambda: flow("/api/v1/nodes") == "tenon-kubernetes")
        lease = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases/tenon-kubernetes"
        self.until("its lease has its own", lambda: flow(lease) == "tenon-kubernetes-lease")

    def test_an_account_without_rights_is_not_ready_and_says_why(self):
        self.serve()
        self.without_rights()
        bridge = self.start_bridge(wait=False)
        self.until("it says so", lambda: "forbidden" in bridge.log.read_text())
        self.assertEqual(bridge.asked("/readyz")[0], 503)
        self.end(bridge)
        self.bridges.remove(bridge)  # whose log is to be free of that

    def test_in_a_pod_it_uses_the_pods_account(self):
        (self.folder / "token").write_text(Shared.plane.token(NAMESPACE, "tenon"))
        (self.folder / "ca.crt").write_bytes(Shared.plane.authority.read_bytes())
        mounted = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", IN_A_POD, "sh", str(self.folder))
        tried = subprocess.run([*mounted, "test", "-r", "/var/run/secrets/kubernetes.io/serviceaccount/token"], capture_output=True, text=True)
        if tried.returncode:
            self.skipTest(f"no mounts of one's own here: {tried.stderr.strip()}")
        self.serve()
        self.kubeconfig = ""
        self.start_bridge(before=("env", "KUBERNETES_SERVICE_HOST=127.0.0.1", f"KUBERNETES_SERVICE_PORT={Shared.plane.port}", *mounted))
        self.node("one")
        self.pod("first")
        self.on("one", "first")

    def test_check_is_content_where_all_is_there(self):
        self.serve()
        self.node("one")
        self.pod("waits")
        self.pod("other")
        said = self.until("the scheduler is up", lambda: done if (done := self.check()).returncode == 0 else None)
        self.assertIn("ok       API server", said.stdout)
        self.assertIn("ok       scheduler", said.stdout)
        self.assertRegex(said.stdout, r"ok       rights: all \d+")
        self.assertIn("1 nodes, 2 pods of schedulerName tenon, 2 of them without node", said.stdout)

    def test_check_names_each_right_that_is_missing(self):
        self.serve()
        self.without_rights()
        said = self.check()
        self.assertEqual(said.returncode, 1)
        for right in ("list nodes", "create pods/binding", "patch pods/status", "get leases.coordination.k8s.io"):
            self.assertIn(f"missing  right: {right}", said.stdout)

    def test_check_asks_the_scheduler_about_the_queues(self):
        self.serve()
        options = ("--queues", "tenon/tenon", "--admin-token", str(self.folder / "admin-token"))
        self.until("the scheduler is up", lambda: self.check(*options).returncode == 0)
        self.assertIn("ok       queues of ConfigMap tenon/tenon\n", self.check(*options).stdout)
        good = self.api.get("ConfigMap", "tenon", NAMESPACE)["data"]["queues.yaml"]
        self.addCleanup(self.api.patch, "ConfigMap", "tenon", {"data": {"queues.yaml": good}}, NAMESPACE)
        self.api.patch("ConfigMap", "tenon", {"data": {"queues.yaml": good.replace("submitacl", "submitalc")}}, NAMESPACE)
        said = self.check(*options)
        self.assertEqual(said.returncode, 1)
        self.assertRegex(said.stdout, "missing  queues of ConfigMap tenon/tenon: .*submitalc")
        (self.folder / "other").write_text("another token of these tests")
        self.assertIn("missing  queues of ConfigMap tenon/tenon: ", self.check(*options[:3], str(self.folder / "other")).stdout)

    def test_check_names_pods_that_cannot_be_placed(self):
        self.serve()
        self.pod("fine")
        self.pod("wrong", queue="", annotations={"yunikorn.apache.org/queue": "q" * 2000})
        said = self.until("the scheduler is up", lambda: done if "ok       scheduler" in (done := self.check()).stdout else None)
        self.assertEqual(said.returncode, 1)
        self.assertIn(f"1 of them cannot be placed, the first of them {self.namespace}/wrong: the queue has a name of 2000 bytes", said.stdout)

    def test_check_says_that_nobody_answers(self):
        said = self.check()
        self.assertEqual(said.returncode, 1)
        self.assertIn(f"missing  scheduler unix:{self.folder}/tenon.sock", said.stdout)
        wrong = self.folder / "wrong"
        wrong.write_text(self.folder.joinpath("kubeconfig").read_text().replace(f":{Shared.plane.port}", ":1"))
        self.kubeconfig = wrong
        self.assertIn("missing  API server https://127.0.0.1:1", self.check().stdout)

    def test_a_dry_run_decides_and_writes_nothing(self):
        self.serve()
        bridge = self.start_bridge("--dry-run")
        self.node("one", 2)
        for i in range(3):
            self.pod(f"p{i}")
        self.until("two would be bound", lambda: bridge.log.read_text().count("would bind") == 2)
        self.until("one would wait", lambda: "0/1 nodes are available: 1 Insufficient cpu." in bridge.log.read_text())
        self.assertEqual(self.bound(), [])
        for i in range(3):
            self.assertEqual(condition(self.get(f"p{i}"), "PodScheduled"), {})
        self.assertEqual(self.api.list("Event", self.namespace), [])

    def test_a_dry_run_beside_another_scheduler_follows_what_that_decides(self):
        self.serve()
        bridge = self.start_bridge("--dry-run", "--scheduler-name", "default-scheduler")
        self.node("one", 2)
        self.node("two", 2, unschedulable=True)
        self.pod("p", cpu="2", schedulerName="default-scheduler")
        self.until("it decides", lambda: f"would bind\" pod={self.namespace}/p node=one" in bridge.log.read_text())
        body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p"}, "target": {"kind": "Node", "name": "two"}}
        self.api.call("POST", f"/api/v1/namespaces/{self.namespace}/pods/p/binding", body)
        self.pod("q", cpu="2", schedulerName="default-scheduler")
        self.until("node one is free again", lambda: f"would bind\" pod={self.namespace}/q node=one" in bridge.log.read_text())
