# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What pods demand of other pods, of volumes and of devices. The tests play the controllers of volumes and claims."""

from api import MERGE
from cluster import Case, Shared

HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"


def term(app: str, key: str = HOST, **more) -> dict:
    return {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}} | more


def apart(*terms: dict) -> dict:
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}}


def together(*terms: dict) -> dict:
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}}


def spread(app: str, key: str = ZONE, **more) -> list[dict]:
    return [{"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": app}}} | more]


class Others(Case):
    """Other pods."""

    def app(self, name: str, app: str, **spec) -> None:
        self.pod(name, cpu="100m", labels={"queue": "root.work", "applicationId": "app", "app": app}, **spec)

    def zones(self, **nodes: str) -> None:
        for name, zone in nodes.items():
            self.node(name, labels={ZONE: zone})

    def waits(self, *names: str) -> str:
        return next(name for name in names if name not in self.bound())

    def test_pods_that_keep_apart_are_one_a_node(self):
        for name in ("one", "two", "three"):
            self.node(name)
        names = [f"p{i}" for i in range(5)]
        for name in names:
            self.app(name, "apart", affinity=apart(term("apart")))
        self.count(3)
        self.says(self.waits(*names), r"^0/3 nodes are available: 3 node\(s\) didn't match pod anti-affinity rules\.$")
        self.wait_on(*(set(names) - set(self.bound())))
        self.assertEqual(len({pod["spec"]["nodeName"] for pod in self.pods() if "nodeName" in pod["spec"]}), 3)

    def test_one_that_keeps_apart_has_the_node_of_one_that_ended(self):
        self.node("one")
        self.app("first", "apart", affinity=apart(term("apart")))
        self.on("one", "first")
        self.app("second", "apart", affinity=apart(term("apart")))
        self.says("second", "anti-affinity rules")
        self.finish("first")
        self.on("one", "second")

    def test_what_runs_keeps_others_away_by_its_own_rules(self):
        self.node("one")
        self.app("alone", "alone", affinity=apart(term("noisy")))
        self.on("one", "alone")
        self.app("noise", "noisy")
        self.says("noise", r"didn't satisfy existing pods anti-affinity rules")
        self.node("two")
        self.on("two", "noise")

    def test_zones_keep_pods_apart_too(self):
        self.zones(a1="a", a2="a", b1="b")
        self.app("first", "zonal", affinity=apart(term("zonal", ZONE)), nodeSelector={HOST: "a1"})
        self.on("a1", "first")
        self.app("second", "zonal", affinity=apart(term("zonal", ZONE)))
        self.on("b1", "second")
        self.app("third", "zonal", affinity=apart(term("zonal", ZONE)))
        self.says("third", "3 node.s. didn't match pod anti-affinity rules")

    def test_a_pod_follows_one_that_comes_later(self):
        self.zones(a="a", b="b")
        self.app("follower", "follower", affinity=together(term("leader", ZONE)))
        self.says("follower", r"2 node\(s\) didn't match pod affinity rules")
        self.app("leader", "leader", nodeSelector={HOST: "b"})
        self.on("b", "leader")
        self.on("b", "follower")

    def test_the_first_of_those_that_follow_each_other_runs(self):
        self.zones(a="a", b="b")
        for i in range(4):
            self.app(f"p{i}", "group", affinity=together(term("group", ZONE)))
        self.count(4)
        self.assertEqual(len({pod["spec"]["nodeName"] for pod in self.pods()}), 1)

    def test_a_label_that_comes_later_wakes_what_follows(self):
        self.node("one")
        self.app("leader", "other")
        self.on("one", "leader")
        self.app("follower", "follower", affinity=together(term("leader")))
        self.says("follower", "didn't match pod affinity rules")
        self.api.patch("Pod", "leader", {"metadata": {"labels": {"app": "leader"}}}, self.namespace, form=MERGE)
        self.on("one", "follower")

    def test_pods_of_another_namespace_count_where_they_are_named(self):
        self.node("one")
        other = self.new_namespace()
        self.pod("theirs", labels={"queue": "root.work", "applicationId": "theirs", "app": "shared"}, namespace=other)
        self.on("one", "theirs", namespace=other)
        self.app("own", "own", affinity=apart(term("shared")))
        self.on("one", "own")
        self.app("all", "all", affinity=apart(term("shared", namespaceSelector={})))
        self.says("all", "anti-affinity rules")

    def test_pods_of_other_schedulers_count(self):
        self.node("one")
        self.app("theirs", "apart", schedulerName="default-scheduler", nodeName="one")
        self.app("ours", "ours", affinity=apart(term("apart")))
        self.says("ours", "anti-affinity rules")
        self.delete("theirs", gracePeriodSeconds=0)
        self.on("one", "ours")

    def test_pods_are_spread_over_zones(self):
        self.zones(a="a", b="b", c="c")
        for i in range(6):
            self.app(f"p{i}", "spread", topologySpreadConstraints=spread("spread"))
        self.count(6)
        counts = [sum(pod["spec"]["nodeName"] == node for pod in self.pods()) for node in ("a", "b", "c")]
        self.assertEqual(counts, [2, 2, 2])

    def test_a_full_zone_holds_back_what_must_be_spread(self):
        self.zones(a="a", b="b")
        self.change_node("b", spec={"unschedulable": True})
        self.app("first", "spread", topologySpreadConstraints=spread("spread"))
        self.on("a", "first")
        self.app("second", "spread", topologySpreadConstraints=spread("spread"))
        self.says("second", r"1 node\(s\) didn't match pod topology spread constraints, 1 node\(s\) were unschedulable")
        self.change_node("b", spec={"unschedulable": None})
        self.on("b", "second")

    def test_fewer_domains_than_wanted_hold_a_second_pod_back(self):
        self.zones(a="a")
        wanted = spread("wide", minDomains=2)
        self.app("first", "wide", topologySpreadConstraints=wanted)
        self.on("a", "first")
        self.app("second", "wide", topologySpreadConstraints=wanted)
        self.says("second", "topology spread constraints")
        self.zones(b="b")
        self.on("b", "second")

    def test_spreading_that_is_only_wished_holds_nothing_back(self):
        self.zones(a="a")
        for i in range(3):
            self.app(f"p{i}", "soft", topologySpreadConstraints=spread("soft", whenUnsatisfiable="ScheduleAnyway"))
        self.on("a", "p0", "p1", "p2")

    def test_a_bridge_that_comes_back_keeps_pods_apart(self):
        self.node("one")
        self.node("two")
        self.app("first", "apart", affinity=apart(term("apart")), nodeSelector={HOST: "one"})
        self.on("one", "first")
        self.end(self.bridge)
        self.app("second", "apart", affinity=apart(term("apart")))
        self.start_bridge()
        self.on("two", "second")


class Claims(Case):
    """What cases about volumes do."""

    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(self.clear_volumes)

    def clear_volumes(self) -> None:
        for kind in ("PersistentVolumeClaim", "PersistentVolume", "StorageClass", "CSINode"):
            for one in self.api.list(kind):
                where = one["metadata"].get("namespace", "")
                self.api.patch(kind, one["metadata"]["name"], {"metadata": {"finalizers": None}}, where, form=MERGE)
                self.api.delete(kind, one["metadata"]["name"], where)

    def storage_class(self, name: str, waits: bool = True, **more) -> None:
        self.api.create("StorageClass", {"metadata": {"name": name}, "provisioner": "disks.example.com",
                                         "volumeBindingMode": "WaitForFirstConsumer" if waits else "Immediate"} | more)

    def claim(self, name: str, storage: str = "", modes: tuple[str, ...] = ("ReadWriteOnce",), **spec) -> dict:
        return self.api.create("PersistentVolumeClaim", {"metadata": {"name": name, "namespace": self.namespace}, "spec": {
            "storageClassName": storage, "accessModes": list(modes), "resources": {"requests": {"storage": "1Gi"}}} | spec})

    def volume(self, name: str, storage: str = "", node: str = "", labels: dict | None = None, modes: tuple[str, ...] = ("ReadWriteOnce",), **spec) -> None:
        if node:
            spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [
                {"matchExpressions": [{"key": HOST, "operator": "In", "values": [node]}]}]}}
        self.api.create("PersistentVolume", {"metadata": {"name": name, "labels": labels or {}}, "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": list(modes), "storageClassName": storage,
            "csi": {"driver": "disks.example.com", "volumeHandle": name}} | spec})
        self.api.patch("PersistentVolume", name, {"status": {"phase": "Available"}}, part="status")

    def using(self, name: str, *claims: str, **spec) -> None:
        self.pod(name, cpu="100m", volumes=[
            {"name": f"v{i}", "persistentVolumeClaim": {"claimName": claim}} for i, claim in enumerate(claims)], **spec)

    def selected(self, claim: str) -> str:
        found = self.api.get("PersistentVolumeClaim", claim, self.namespace)
        return found["metadata"].get("annotations", {}).get("volume.kubernetes.io/selected-node", "")

    def taken(self, volume: str) -> str:
        return self.api.get("PersistentVolume", volume)["spec"].get("claimRef", {}).get("name", "")


class Volumes(Claims):
    def test_a_claim_that_is_not_there_is_named_and_waited_for(self):
        self.node("one")
        self.using("first", "later")
        self.says("first", r'^0/1 nodes are available: persistentvolumeclaim "later" not found\.$')
        self.volume("disk")
        self.claim("later")
        self.bind_volume("later", "disk")
        self.on("one", "first")

    def test_a_pod_runs_where_its_volume_is(self):
        for name in ("one", "two", "three"):
            self.node(name)
        self.volume("disk", node="two")
        self.claim("data")
        self.bind_volume("data", "disk")
        for i in range(3):
            self.using(f"p{i}", "data")
        self.on("two", "p0", "p1", "p2")

    def test_a_volume_of_another_node_is_named(self):
        self.node("one")
        self.volume("disk", node="elsewhere")
        self.claim("data")
        self.bind_volume("data", "disk")
        self.using("first", "data")
        self.says("first", r"1 node\(s\) didn't match PersistentVolume's node affinity")

    def test_a_claim_that_nobody_bound_yet_holds_its_pod_back(self):
        self.node("one")
        self.storage_class("now", waits=False)
        self.claim("data", "now")
        self.using("first", "data")
        self.says("first", "pod has unbound immediate PersistentVolumeClaims")
        self.volume("disk", "now")
        self.bind_volume("data", "disk")
        self.on("one", "first")

    def test_a_volume_is_made_for_the_chosen_node_before_the_pod_is_bound(self):
        self.node("one")
        self.storage_class("later")
        self.claim("data", "later")
        self.using("first", "data")
        self.until("the node is told", lambda: self.selected("data") == "one")
        self.wait_on("first")
        self.volume("made", "later", node="one")
        self.bind_volume("data", "made")
        self.on("one", "first")

    def test_a_volume_that_is_there_is_taken_and_its_node(self):
        for name in ("one", "two"):
            self.node(name)
        self.storage_class("local", provisioner="kubernetes.io/no-provisioner")
        self.volume("disk", "local", node="two")
        self.claim("data", "local")
        self.using("first", "data")
        self.until("the volume is the claim's", lambda: self.taken("disk") == "data")
        self.wait_on("first", seconds=0.3)
        self.bind_volume("data", "disk")
        self.on("two", "first")

    def test_two_pods_never_take_the_same_volume(self):
        for name in ("one", "two"):
            self.node(name)
        self.storage_class("local", provisioner="kubernetes.io/no-provisioner")
        for name in ("one", "two"):
            self.volume(f"disk-{name}", "local", node=name)
        for i in range(3):
            self.claim(f"data{i}", "local")
            self.using(f"p{i}", f"data{i}")
        self.until("both are taken", lambda: self.taken("disk-one") and self.taken("disk-two"))
        claims = {self.taken("disk-one"), self.taken("disk-two")}
        self.assertEqual(len(claims), 2)
        left = next(i for i in range(3) if f"data{i}" not in claims)
        self.says(f"p{left}", r"2 node\(s\) didn't find available persistent volumes to bind")
        for volume in ("disk-one", "disk-two"):
            self.bind_volume(self.taken(volume), volume)
        self.count(2)

    def test_a_pod_deleted_while_its_volume_is_made_gives_back_its_room(self):
        self.node("one", 1)
        self.storage_class("later")
        self.claim("data", "later")
        self.using("first", "data", containers=[{"name": "main", "image": "none", "resources": {"requests": {"cpu": "1"}}}])
        self.until("the node is told", lambda: self.selected("data") == "one")
        self.pod("second")
        self.wait_on("second", seconds=0.5)
        self.delete("first", gracePeriodSeconds=0)
        self.on("one", "second")

    def test_a_bridge_killed_while_a_volume_is_made_takes_it_up_again(self):
        self.node("one")
        self.storage_class("later")
        self.claim("data", "later")
        self.using("first", "data")
        self.until("the node is told", lambda: self.selected("data") == "one")
        self.end(self.bridge)
        self.start_bridge()
        self.volume("made", "later", node="one")
        self.bind_volume("data", "made")
        self.on("one", "first")

    def test_many_volumes_that_are_made_hold_up_no_other_pods(self):
        self.node("one", 64)
        self.storage_class("later")
        for i in range(40):  # more than bindings at one time
            self.claim(f"data{i}", "later")
            self.using(f"p{i}", f"data{i}")
        self.until("all are told", lambda: all(self.selected(f"data{i}") for i in range(40)))
        self.pod("ordinary")
        self.on("one", "ordinary")

    def test_a_claim_for_one_pod_is_given_to_one(self):
        self.node("one")
        self.volume("disk", modes=("ReadWriteOncePod",))
        self.claim("data", modes=("ReadWriteOncePod",))
        self.bind_volume("data", "disk")
        self.using("first", "data")
        self.on("one", "first")
        self.using("second", "data")
        self.says("second", "ReadWriteOncePod access mode already in-use by another pod")
        self.finish("first")
        self.on("one", "second")

    def test_a_node_has_as_many_volumes_as_its_driver_can_attach(self):
        for name in ("one", "two"):
            self.node(name)
            node = self.api.get("Node", name)["metadata"]
            self.api.create("CSINode", {"metadata": {"name": name, "ownerReferences": [
                {"apiVersion": "v1", "kind": "Node", "name": name, "uid": node["uid"]}]}, "spec": {"drivers": [
                    {"name": "disks.example.com", "nodeID": name, "allocatable": {"count": 1}}]}})
        for i in range(3):
            self.volume(f"disk{i}")
            self.claim(f"data{i}")
            self.bind_volume(f"data{i}", f"disk{i}")
            self.using(f"p{i}", f"data{i}")
        self.count(2)
        left = next(f"p{i}" for i in range(3) if f"p{i}" not in self.bound())
        self.says(left, r"2 node\(s\) exceed max volume count")
        self.assertEqual(len({pod["spec"]["nodeName"] for pod in self.pods() if "nodeName" in pod["spec"]}), 2)

    def test_a_volume_of_a_zone_has_its_pod_there(self):
        self.node("a", labels={ZONE: "a"})
        self.node("b", labels={ZONE: "b"})
        self.volume("disk", labels={ZONE: "b"})
        self.claim("data")
        self.bind_volume("data", "disk")
        self.using("first", "data")
        self.on("b", "first")

    def test_a_class_limits_where_volumes_are_made(self):
        self.node("a", labels={ZONE: "a"})
        self.node("b", labels={ZONE: "b"})
        self.storage_class("zonal", allowedTopologies=[{"matchLabelExpressions": [{"key": ZONE, "values": ["b"]}]}])
        self.claim("data", "zonal")
        self.using("first", "data")
        self.until("the node is told", lambda: self.selected("data") == "b")


class Devices(Case):
    def setUp(self) -> None:
        super().setUp()
        self.addCleanup(self.clear_devices)
        self.api.create("DeviceClass", {"metadata": {"name": "gpu"}, "spec": {"selectors": [{"cel": {"expression": 'device.driver == "example.com"'}}]}})

    def clear_devices(self) -> None:
        of_newest = ("DeviceTaintRule",) if Shared.plane.newest else ()
        for kind in ("ResourceClaim", "ResourceSlice", "DeviceClass", *of_newest):
            for one in self.api.list(kind):
                where = one["metadata"].get("namespace", "")
                self.api.patch(kind, one["metadata"]["name"], {"metadata": {"finalizers": None}}, where, form=MERGE)
                self.api.delete(kind, one["metadata"]["name"], where)

    def devices(self, node: str, *names: str) -> None:
        self.api.create("ResourceSlice", {"metadata": {"name": f"{node}-devices"}, "spec": {
            "driver": "example.com", "nodeName": node, "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
            "devices": [{"name": name} for name in names]}})

    def claim(self, name: str) -> None:
        self.api.create("ResourceClaim", {"metadata": {"name": name, "namespace": self.namespace}, "spec": {"devices": {
            "requests": [{"name": "one", "exactly": {"deviceClassName": "gpu"}}]}}})

    def using(self, name: str, claim: str) -> None:
        self.pod(name, cpu="100m", resourceClaims=[{"name": "gpu", "resourceClaimName": claim}],
                 containers=[{"name": "main", "image": "none", "resources": {"claims": [{"name": "gpu"}]}}])

    def state(self, claim: str) -> dict:
        return self.api.get("ResourceClaim", claim, self.namespace).get("status", {})

    def test_a_claim_is_allocated_and_reserved_for_its_pod(self):
        self.node("plain")
        self.node("device")
        self.devices("device", "gpu-0")
        self.claim("mine")
        self.using("first", "mine")
        self.on("device", "first")
        state = self.state("mine")
        self.assertEqual(state["allocation"]["devices"]["results"][0]["device"], "gpu-0")
        self.assertEqual([one["name"] for one in state["reservedFor"]], ["first"])

    def test_a_device_is_given_once(self):
        self.node("device")
        self.devices("device", "gpu-0", "gpu-1")
        for i in range(3):
            self.claim(f"c{i}")
            self.using(f"p{i}", f"c{i}")
        self.count(2)
        left = next(f"p{i}" for i in range(3) if f"p{i}" not in self.bound())
        self.says(left, r"^0/1 nodes are available: 1 cannot allocate all claims")
        given = [self.state(f"c{i}")["allocation"]["devices"]["results"][0]["device"] for i in range(3) if f"p{i}" != left]
        self.assertEqual(sorted(given), ["gpu-0", "gpu-1"])

    def test_a_device_that_comes_later_is_given(self):
        self.node("device")
        self.claim("mine")
        self.using("first", "mine")
        self.says("first", "cannot allocate all claims")
        self.devices("device", "gpu-0")
        self.on("device", "first")

    def test_a_claim_that_is_not_there_is_named_and_waited_for(self):
        self.node("device")
        self.devices("device", "gpu-0")
        self.using("first", "later")
        self.says("first", 'resourceclaim "later" not found|could not find')
        self.claim("later")
        self.on("device", "first")

    def test_ten_pods_share_a_claim(self):
        self.node("device")
        self.devices("device", "gpu-0")
        self.claim("shared")
        for i in range(10):
            self.using(f"p{i}", "shared")
        self.on("device", *(f"p{i}" for i in range(10)))
        self.assertEqual(len(self.state("shared")["reservedFor"]), 10)

    def extended(self, name: str, amount: int, **spec) -> None:
        room = {"example.com/gpu": str(amount)}
        self.pod(name, containers=[{"name": "main", "image": "none", "resources": {"requests": room, "limits": room}}], **spec)

    def test_an_extended_resource_that_a_class_provides_is_allocated_by_a_claim(self):
        self.api.patch("DeviceClass", "gpu", {"spec": {"extendedResourceName": "example.com/gpu"}}, form=MERGE)
        self.node("plain")
        self.node("device")
        self.devices("device", "gpu-0", "gpu-1", "gpu-2")
        self.extended("two", 2)
        self.on("device", "two")
        claim = self.get("two")["status"]["extendedResourceClaimStatus"]["resourceClaimName"]
        self.assertEqual(len(self.state(claim)["allocation"]["devices"]["results"]), 2)
        self.extended("more", 2)
        self.says("more", r"^0/2 nodes are available: 2 cannot allocate all claims")
        self.devices("plain", "gpu-0", "gpu-1")
        self.on("plain", "more")

    def test_a_claim_that_was_allocated_where_its_pod_may_not_run_is_allocated_anew(self):
        self.node("one")
        self.node("two")
        self.devices("one", "gpu-0")
        self.claim("mine")
        self.using("first", "mine")
        self.on("one", "first")
        self.delete("first", gracePeriodSeconds=0)
        self.gone("first")
        claim = self.api.get("ResourceClaim", "mine", self.namespace)
        self.api.patch("ResourceClaim", "mine", {"status": {"reservedFor": None}}, self.namespace, "status", form=MERGE)
        self.assertIn("allocation", claim["status"])
        self.devices("two", "gpu-0")
        self.change_node("one", spec={"unschedulable": True})
        self.using("second", "mine")
        self.on("two", "second")

    def test_a_device_that_has_to_be_attached_is_waited_for_and_holds_up_nobody(self):
        self.node("device")
        self.api.create("ResourceSlice", {"metadata": {"name": "attached"}, "spec": {
            "driver": "example.com", "nodeName": "device", "pool": {"name": "device", "generation": 1, "resourceSliceCount": 1},
            "devices": [{"name": "gpu-0", "bindsToNode": True, "bindingConditions": ["example.com/attached"],
                         "bindingFailureConditions": ["example.com/failed"]}]}})
        self.claim("mine")
        self.using("first", "mine")
        self.until("the claim is allocated", lambda: "allocation" in self.state("mine"))
        self.pod("beside")
        self.on("device", "beside")
        self.wait_on("first")
        now = self.state("mine")["allocation"]["devices"]["results"][0]
        self.api.patch("ResourceClaim", "mine", {"status": {"devices": [{
            "driver": "example.com", "pool": now["pool"], "device": now["device"], "conditions": [
                {"type": "example.com/attached", "status": "True", "reason": "Attached", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}]}},
            self.namespace, "status", form=MERGE)
        self.on("device", "first")
