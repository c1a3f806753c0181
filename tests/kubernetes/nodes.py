# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Nodes that are played through the API server: their objects, and kubelets whose bound pods run and whose pods that are
to end are gone."""

import http.client
import threading
import time

from api import MERGE, Api, Refused


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def node_object(name: str, cpu: str | int, labels: dict | None = None, taints: tuple[dict, ...] = (), more: dict | None = None, **spec) -> dict:
    room = {"cpu": str(cpu), "memory": "64Gi", "pods": "110"} | (more or {})
    return {
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name} | (labels or {})},
        "spec": {"taints": list(taints)} | spec,
        "status": {"capacity": room, "allocatable": room, "conditions": [{"type": "Ready", "status": "Unknown"}]},
    }


def ready(api: Api, name: str, taints: tuple[dict, ...] = ()) -> None:
    """As the kubelet and the controller of nodes do it: admission has put a taint on what is new."""
    status = {"conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": now(), "lastTransitionTime": now()}]}
    api.patch("Node", name, {"status": status}, part="status")
    api.patch("Node", name, {"spec": {"taints": list(taints)}}, form=MERGE)


class Kubelets:
    """A thread. It notes to which node each pod was bound, by the pod's UID: `moved` is what must never be. Where others
    play the kubelets it does no more."""

    def __init__(self, api: Api, plays: bool = True):
        self.api, self.plays = api, plays
        self.bound: dict[str, str] = {}
        self.moved: list[str] = []
        self.started: set[str] = set()
        self.slow: set[str] = set()  # names of pods that do not end until they are taken out here
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self) -> None:
        while not self.ending.is_set():
            try:
                listed = self.api.call("GET", "/api/v1/pods")
                for pod in listed["items"]:
                    self.look(pod)
                for kind, pod in self.api.watch("Pod", listed["metadata"]["resourceVersion"]):
                    if kind == "ERROR":
                        break
                    if kind in ("ADDED", "MODIFIED"):
                        self.look(pod)
            except (OSError, http.client.HTTPException, Refused, ValueError):
                time.sleep(0.1)  # the server is away

    def look(self, pod: dict) -> None:
        meta, node = pod["metadata"], pod["spec"].get("nodeName", "")
        if not node:
            return
        if self.bound.setdefault(meta["uid"], node) != node:
            self.moved.append(f"{meta['name']} was bound to {self.bound[meta['uid']]} and to {node}")
        if not self.plays:
            return
        where = {"kind": "Pod", "name": meta["name"], "namespace": meta["namespace"]}
        try:
            if "deletionTimestamp" in meta:
                if meta["name"] not in self.slow:
                    self.api.delete(**where, gracePeriodSeconds=0, preconditions={"uid": meta["uid"]})
            elif pod["status"].get("phase") == "Pending" and meta["uid"] not in self.started:
                self.api.patch(**where, part="status", change={"metadata": {"uid": meta["uid"]}, "status": {
                    "phase": "Running", "startTime": now(), "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": now()}]}})
                self.started.add(meta["uid"])
        except Refused as wrong:
            if wrong.status not in (404, 409, 422):  # it has gone, or is another one by now
                raise

    def finish(self, name: str) -> None:
        """Lets a slow pod end."""
        self.slow.discard(name)
        for pod in self.api.list("Pod", fieldSelector=f"metadata.name={name}"):
            self.look(pod)

    def stop(self) -> None:
        self.ending.set()
