# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What ends and comes back while pods come and go. Nothing may be bound twice, be lost, or wait for ever."""

import contextlib
import json
import random
import signal
import subprocess
import sys

from api import MERGE, STRATEGIC, Refused, path_of
from cluster import Case, Shared, number
from placing_test import NO_SCHEDULE, TOLERATES


class Restarts(Case):
    rounds = 20  # of the one in which all of them end in any order; run.py sets it
    seed = 1
    rights_checked = False  # an API server that starts refuses everything for a moment

    def setUp(self) -> None:
        super().setUp()
        self.random = random.Random(self.seed)
        self.made = 0
        self.alive: set[str] = set()  # pods that have to be there and nobody ended

    def load(self, pods: int) -> list[str]:
        names = [f"p{self.made + i}" for i in range(pods)]
        self.made += pods
        for name in names:
            self.pod(name, cpu="1", application=f"app{self.random.randrange(4)}", queue=self.random.choice(["root.work", "root.other"]))
        self.alive |= set(names)
        return names

    def churn(self, deleted: int) -> None:
        """Ends some that run and some that wait."""
        pods = [pod for pod in self.pods() if pod["metadata"]["name"] in self.alive]
        for pod in self.random.sample(pods, min(deleted, len(pods))):
            self.alive.discard(pod["metadata"]["name"])
            if self.random.random() < 0.5 and pod["spec"].get("nodeName"):
                self.finish(pod["metadata"]["name"])
            else:
                self.delete(pod["metadata"]["name"])

    def settled(self) -> None:
        """All get nodes in the end: there is room for all that has not ended. No pod is gone that nobody ended."""
        self.until("nothing waits", lambda: all(pod["spec"].get("nodeName") for pod in self.pods()))
        self.none_over()
        self.assertEqual(self.alive - {pod["metadata"]["name"] for pod in self.pods() if pod["status"].get("phase") != "Failed"}, set(), "lost")

    def fill(self, nodes: int, cpu: int) -> None:
        for i in range(nodes):
            self.node(f"n{i}", cpu)

    def test_a_bridge_killed_under_load_loses_nothing(self):
        self.fill(10, 30)
        bridge = self.bridge
        for _ in range(3):
            self.load(60)
            self.end(bridge)
            self.churn(20)
            self.load(10)
            bridge = self.start_bridge(wait=False)
        self.settled()

    def test_a_bridge_that_comes_back_knows_what_is_taken(self):
        self.node("one", 4)
        for name in self.load(4):
            self.on("one", name)
        self.end(self.bridge, kill=False)
        self.start_bridge()
        self.pod("more")
        self.says("more", "Insufficient cpu")
        self.finish("p0")
        self.on("one", "more")

    def test_what_waits_keeps_its_place_when_both_come_back(self):
        self.node("one", 1)
        self.pod("runs")
        self.on("one", "runs")
        order = ("zeta", "alpha", "mid", "beta")
        for name in order:
            self.next_second()
            self.pod(name, application=f"of-{name}")
        self.scheduler.kill()
        self.end(self.bridge)
        self.serve()
        self.start_bridge()
        for before, name in zip(("runs", *order), order, strict=False):
            self.delete(before, gracePeriodSeconds=0)
            self.on("one", name)
            self.assertEqual(self.bound(), [name])

    def test_a_scheduler_killed_under_load_is_told_everything_again(self):
        self.fill(10, 30)
        for _ in range(3):
            self.load(60)
            self.scheduler.kill()
            self.churn(20)
            self.load(10)
            self.serve()
        self.settled()

    def test_a_scheduler_that_comes_late_is_waited_for(self):
        self.node("one")
        self.scheduler.kill()
        self.until("the bridge says so", lambda: self.bridge.asked("/readyz")[0] == 503)
        self.assertEqual(self.bridge.asked("/healthz")[0], 200)
        self.pod("first")
        self.wait_on("first")
        self.serve()
        self.on("one", "first")

    def test_an_api_server_killed_under_load_is_waited_for(self):
        self.fill(10, 30)
        for _ in range(2):
            self.load(80)
            Shared.plane.kill_server()
            Shared.plane.start()
            self.churn(20)
            self.load(20)
        self.settled()

    def test_an_etcd_that_is_lost_is_waited_for(self):
        self.fill(10, 30)
        self.load(60)
        Shared.plane.etcd.kill()
        self.until("the API server refuses", self.refuses)
        Shared.plane.start_etcd()
        Shared.plane.until_ready()
        self.churn(20)
        self.load(20)
        self.settled()

    def refuses(self) -> bool:
        try:
            self.api.create("ConfigMap", {"metadata": {"generateName": "lost-", "namespace": self.namespace}})
        except (Refused, OSError):
            return True
        return False

    @contextlib.contextmanager
    def expired_watches(self):
        """The bridge stands still while the API server is restarted. It misses what happens here, and then the past is
        forgotten."""
        self.bridge.popen.send_signal(signal.SIGSTOP)
        self.addCleanup(self.bridge.popen.send_signal, signal.SIGCONT)
        Shared.plane.kill_server()
        Shared.plane.start()  # what comes from here on is on no connection that the bridge has
        yield
        Shared.plane.forget_the_past()
        self.bridge.popen.send_signal(signal.SIGCONT)

    def test_a_watch_that_expired_is_begun_anew(self):
        self.fill(4, 10)
        self.load(20)
        self.count(20)
        with self.expired_watches():
            for name in ("p0", "p1", "p2"):
                self.alive.discard(name)
                self.delete(name, gracePeriodSeconds=0)
            self.load(10)
        self.settled()
        self.load(13)
        self.settled()

    def test_a_pod_and_a_node_made_again_while_watches_were_expired_replace_the_old_ones(self):
        on_one, on_two = ({"kubernetes.io/hostname": name} for name in ("one", "two"))
        self.node("one", 2)
        self.node("two", 1)
        self.pod("again", cpu="2", nodeSelector=on_one)
        self.on("one", "again")
        self.pod("large", cpu="3", nodeSelector=on_two)
        self.says("large", "Insufficient cpu")
        with self.expired_watches():
            self.delete("again", gracePeriodSeconds=0)
            self.gone("again")
            self.pod("again", cpu="1", nodeSelector=on_one)
            self.api.delete("Node", "two")
            self.node("two", 3)
        self.on("one", "again")
        self.on("two", "large")
        self.pod("other", cpu="1", nodeSelector=on_one)
        self.on("one", "other")

    def test_a_waiting_pod_changed_while_watches_were_expired_is_looked_at(self):
        self.node("one", 2, taints=(NO_SCHEDULE,))
        self.pod("picky")
        self.pod("large", cpu="9", tolerations=[TOLERATES])
        self.says("picky", r"untolerated taint\(s\)")
        self.says("large", "Insufficient cpu")
        with self.expired_watches():
            tolerations = self.get("picky")["spec"]["tolerations"]
            self.api.patch("Pod", "picky", {"spec": {"tolerations": [*tolerations, TOLERATES]}}, self.namespace, form=MERGE)
            less = {"spec": {"containers": [{"name": "main", "resources": {"requests": {"cpu": "1"}}}]}}
            self.api.call("PATCH", path_of("Pod", self.namespace, "large", "resize"), less, STRATEGIC)
        self.on("one", "picky", "large")

    def test_a_bridge_that_starts_before_the_api_server_waits_for_it(self):
        self.node("one")
        self.end(self.bridge)
        Shared.plane.kill_server()
        bridge = self.start_bridge(wait=False)
        self.until("it answers", lambda: bridge.asked("/readyz")[0] == 503)
        Shared.plane.start()
        self.pod("first")
        self.on("one", "first")

    def test_whatever_ends_in_whatever_order(self):
        self.fill(20, 40)
        bridge = self.bridge
        for count in range(self.rounds):
            with self.subTest(round=count, seed=self.seed):
                self.load(40)
                kinds = self.random.sample(["bridge", "scheduler", "server"], self.random.randint(1, 3))
                for kind in kinds:
                    if kind == "bridge":
                        self.end(bridge)
                    elif kind == "scheduler":
                        self.scheduler.kill()
                    else:
                        Shared.plane.kill_server()
                self.random.shuffle(kinds)
                for kind in kinds:
                    if kind == "bridge":
                        bridge = self.start_bridge(wait=False)
                    elif kind == "scheduler":
                        self.serve()
                    else:
                        Shared.plane.start()
                self.churn(max(30, len(self.alive) - 400))
                self.settled()
                self.sweep()
                self.until("the scheduler's books are the API server's sums", lambda: self.booked() == self.summed())
                self.assertEqual(self.kubelets.moved, [], "bound twice")
                print(f"\r{count + 1} of {self.rounds} rounds", end="", file=sys.stderr, flush=True)

    def booked(self) -> dict[str, int]:
        """What the scheduler has as taken on each node, in thousandths of a processor; nothing while it cannot be asked."""
        asked = subprocess.run([Shared.tenon, "ctl", "nodes", "--json", "--control", self.folder / "control.sock"], capture_output=True, text=True)
        partitions = json.loads(asked.stdout)["partitions"] if asked.returncode == 0 else []
        return {node["id"]: node["allocated"].get("vcore", 0) + node["occupied"].get("vcore", 0) for one in partitions for node in one["nodes"]}

    def summed(self) -> dict[str, int]:
        """The same by the pods that the API server has there."""
        sums = {node["metadata"]["name"]: 0 for node in self.api.list("Node")}
        for pod in self.pods():
            if pod["spec"].get("nodeName") and pod["status"].get("phase") not in ("Succeeded", "Failed"):
                sums[pod["spec"]["nodeName"]] += sum(round(number(one["resources"]["requests"]["cpu"]) * 1000) for one in pod["spec"]["containers"])
        return sums

    def sweep(self) -> None:
        """Forgets pods that have run to their end."""
        for pod in self.pods():
            if pod["status"].get("phase") == "Succeeded":
                self.delete(pod["metadata"]["name"], gracePeriodSeconds=0)


class Leases(Case):
    lease = True
    starts = False

    def tearDown(self) -> None:
        super().tearDown()
        self.api.delete("Lease", "tenon-kubernetes", "tenon")

    def holder(self) -> str:
        found = self.api.get("Lease", "tenon-kubernetes", "tenon")
        return found["spec"].get("holderIdentity", "") if found else ""

    def start_two(self) -> list:
        self.serve()
        first = self.start_bridge("--identity", "first")
        second = self.start_bridge("--identity", "second", wait=False)
        self.until("the second one is ready", second.ready)
        return [first, second]

    def test_of_two_bridges_one_works_and_the_other_is_ready(self):
        _, second = self.start_two()
        self.node("one")
        self.pod("p")
        self.on("one", "p")
        self.assertEqual(self.holder(), "first")
        self.assertFalse(second.connected())

    def test_a_bridge_that_is_asked_to_end_gives_the_lease_away(self):
        first, second = self.start_two()
        self.assertEqual(self.end(first, kill=False), 0)
        self.node("one")
        self.pod("p")
        self.until("the second one works", second.connected, within=14)  # less than the lease lasts
        self.on("one", "p")
        self.assertEqual(self.holder(), "second")

    def test_after_a_bridge_that_was_killed_the_other_one_takes_over(self):
        first, second = self.start_two()
        self.node("one")
        self.pod("before")
        self.on("one", "before")
        self.end(first)
        self.pod("after")
        self.until("the second one works", second.connected)
        self.on("one", "after")

    def test_a_bridge_whose_lease_another_one_has_ends(self):
        self.serve()
        bridge = self.start_bridge("--identity", "first")

        def stolen() -> bool:
            try:
                lease = self.api.get("Lease", "tenon-kubernetes", "tenon")
                lease["spec"] |= {"holderIdentity": "thief", "leaseDurationSeconds": 60, "renewTime": "2099-01-01T00:00:00.000000Z"}
                self.api.call("PUT", "/apis/coordination.k8s.io/v1/namespaces/tenon/leases/tenon-kubernetes", lease)
                return True
            except Refused:
                return False  # it was renewed meanwhile
        self.until("the lease is another's", stolen)
        self.ended.append(bridge)
        self.until("the bridge has ended", lambda: not bridge.running())
        self.assertEqual(bridge.popen.wait(), 1)
        self.assertIn("the lease was lost", bridge.log.read_text())
