# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A cluster that does not exist, in the shapes in which tenon.rest tells of one."""

import time

GIB = 1 << 30
NOW = time.time_ns()


def resources(cores: float, gib: float, gpus: int = 0) -> dict:
    out = {"vcore": round(cores * 1000), "memory": round(gib * GIB)}
    return out | ({"nvidia.com/gpu": gpus} if gpus else {})


def pod(namespace: str, name: str) -> dict:
    return {"kubernetes.io/meta/namespace": namespace, "kubernetes.io/meta/podName": name}


def node(at: int) -> dict:
    capacity = resources(64, 256, 8 if at % 4 == 0 else 0)
    allocated = {name: value * (at * 37 % 101) // 100 for name, value in capacity.items()}
    return {
        "nodeID": f"node-{at:05}", "hostName": f"host-{at}.example", "rackName": f"rack-{at // 40}",
        "attributes": {"zone": "z1"}, "capacity": capacity, "allocated": allocated,
        "schedulable": at % 29 != 3, "isReserved": at % 31 == 0,
        "allocations": [
            {"allocationKey": f"pod-{at}-{i}", "resource": resources(2, 4), "nodeId": f"node-{at:05}",
             "applicationId": "app-0001", "priority": "0", "allocationTime": NOW,
             "allocationTags": pod("team-a", f"train-{at}-{i:02}") if i == 0 else {}} for i in range(30)
        ],
    }


def application(at: int, state: str = "Running") -> dict:
    waits = at % 3 == 0 and state == "Running"
    out = {
        "applicationID": f"app-{at:04}", "usedResource": resources(at % 40 + 1, 2 * (at % 40) + 1), "partition": "default",
        "queueName": f"root.team-{at % 5}.jobs", "submissionTime": NOW - at * 10**9, "applicationState": state,
        "user": f"user-{at % 7}", "groups": ["people"], "stateLog": [{"time": NOW, "applicationState": state}],
        "allocations": [{"allocationKey": f"run-{at}", "resource": resources(1, 2), "nodeId": "node-00001",
                         "applicationId": f"app-{at:04}", "allocationTime": NOW, "allocationTags": pod("team-a", f"worker-{at}")}],
    }
    if state == "Rejected":
        out["rejectedMessage"] = "failed to place application: queue root.nowhere does not exist"
    if waits:
        out["pendingResource"] = resources(8, 32)
        out["requests"] = [
            {"allocationKey": f"ask-{at}-{i}", "resource": resources(4, 16), "priority": "0", "requestTime": NOW,
             "applicationId": f"app-{at:04}", "allocationTags": pod("team-b", f"waits-{i}") if i else {}, "allocationLog": [
                 {"message": "Not enough queue quota", "lastOccurrence": NOW, "count": 12}]} for i in range(2)
        ]
    return out


def queue(path: str, *children: dict, **more) -> dict:
    out = {
        "queuename": path, "status": "Active", "partition": "", "allocatedResource": resources(120, 400, 6),
        "guaranteedResource": resources(100, 300), "isLeaf": not children, "isManaged": True, "currentPriority": 0,
        "runningApps": 12, "maxRunningApps": 40, "sortingPolicy": "fifo" if not children else "fair",
        "prioritySorting": True, "preemptionEnabled": True, "isPreemptionFence": False, "preemptionDelay": "30s",
        "isPriorityFence": False, "properties": {"application.sort.policy": "fifo"},
    }
    if children:
        out["children"] = list(children)
        out["childNames"] = [child["queuename"] for child in children]
    if path != "root":
        out["maxResource"] = resources(400, 1600, 16)
    return out | more


def queues() -> dict:
    teams = [
        queue(f"root.team-{i}", queue(f"root.team-{i}.jobs", pendingResource=resources(8, 32) if i < 2 else {}, allocatedResource=resources(50, 200),
                                         maxResource=resources(200 if i == 0 else 4000, 800)),
              queue(f"root.team-{i}.notebooks", isManaged=False, status="Draining" if i == 3 else "Active"))
        for i in range(5)
    ]
    return queue("root", *teams, partition="default", pendingResource=resources(16, 64))


def event(at: int) -> dict:
    kinds = [
        {"type": 2, "objectID": f"app-{at % 90:04}", "referenceID": f"pod-{at}", "eventChangeType": 2,
         "eventChangeDetail": 200, "resource": {"resources": {"vcore": {"value": 2000}, "memory": {"value": 4 * GIB}}}},
        {"type": 3, "objectID": f"node-{at % 50:05}", "referenceID": f"pod-{at}", "eventChangeType": 2, "eventChangeDetail": 303},
        {"type": 1, "objectID": f"ask-{at}", "referenceID": f"app-{at % 90:04}",
         "message": f"Request 'ask-{at}' does not fit in queue 'root.team-0.jobs'"},
        {"type": 4, "objectID": "root.team-1.jobs", "referenceID": f"app-{at % 90:04}", "eventChangeType": 2, "eventChangeDetail": 405},
    ]
    return kinds[at % len(kinds)] | {"timestampNano": time.time_ns()}


def explanation(application_id: str, key: str) -> dict:
    return {
        "partition": "default", "applicationID": application_id, "allocationKey": key, "queueName": "root.team-0.jobs",
        "pending": True, "waiting": 31, "before": 4, "resource": resources(4, 16),
        "obstacles": [{"kind": "queue-resources", "queue": "root.team-0", "type": "vcore", "asked": 96000, "limit": 400000,
                       "used": 398000, "free": 2000, "shortBy": 94000, "text": "The max of queue root.team-0 leaves too little vcore: "
                       "asked 96, free 2 of 400, short 94"},
                      {"kind": "queue-resources", "queue": "root.team-0", "type": "gpu", "asked": 16000, "limit": 8000, "free": 8000,
                       "shortBy": 8000, "text": "The max of queue root.team-0 leaves too little gpu: asked 16000, free 8000 of 8000, "
                       "short 8000"}],
        "outcome": "runs", "after": 2, "holds": [],
        "changes": [{"kind": "raise-queue-resources", "queue": "root.team-0", "type": "vcore", "from": 400000, "to": 494000,
                     "text": "raise max vcore of queue root.team-0 from 400 to 494"},
                    {"kind": "raise-node-capacity", "name": "node-4", "type": "memory", "from": 32 * GIB, "to": 48 * GIB,
                     "text": "free or add 16Gi memory on node node-4 (capacity from 32Gi to 48Gi)"},
                    {"kind": "add-node", "resource": {"memory": 64 * GIB, "vcore": 96000},
                     "text": "add a node that the predicates accept, with memory 64Gi vcore 96"}],
        "nodes": {"nodes": 200, "fit": 12, "tooLittle": {"vcore": 150, "memory": 38}}, "text": "It can never run as the cluster is: it asks 96 of vcore, the largest node has 64. To let it run, ask for at most 64 of "
                "vcore, or add a node that has 96 of vcore.\nIt waits for its queue.",
    }


OPENAPI = {"openapi": "3.0.3", "paths": {
    "/ws/v1/partitions": {"get": {}}, "/tenon/v1/reload": {"post": {}},
    "/tenon/v1/partition/{partition}/node/{node}/drain": {"post": {}},
    "/tenon/v1/partition/{partition}/application/{application}/kill": {"post": {}},
    "/tenon/v1/partition/{partition}/application/{application}/move": {"post": {}},
}}
MODULES = [
    {"module": "tenon.node-binpacking", "version": "0.1.0", "kind": "node-sort", "name": "binpacking", "partition": "default",
     "state": "running", "calls": 120000, "faults": 0, "fallbacks": 0, "totalNanoseconds": 240000000, "mostNanoseconds": 90000},
    {"module": "vendor.slow", "version": "2.0.0", "kind": "app-sort", "name": "slow", "partition": "default", "state": "stopped",
     "lastFault": "took 20 ms, 10 ms allowed", "calls": 40, "faults": 3, "fallbacks": 3, "totalNanoseconds": 60000000,
     "mostNanoseconds": 20000000},
]
SHADOWS = [
    {"module": "tenon.node-fair", "kind": "node-sort", "name": "fair", "shadow": "vendor.spread", "shadowVersion": "2.1.0",
     "shadowName": "spread", "off": "3 faults, the last one: keys gave no answer in 100 ms", "calls": 4000, "items": 9000,
     "skipped": 2, "faults": 3, "spentNanoseconds": 80000000, "forgotten": 0, "differences": 17, "firstDifferences": [
         {"what": "order", "time": NOW, "slot": "keys", "object": "node-7", "other": "node-3", "first": "keys 1 and 2",
          "shadow": "keys 9 and 5"}]},
]
WORLD_SHADOW = {
    "state": "follows", "settings": {"node order": "binpacking"}, "every": 1000, "process": 77, "compared": 412, "same": 398,
    "other": 14, "refused": 0, "passed_over": 3, "commands": 9000, "decisions": 412033, "checked": 412033, "unequal": 0,
    "commands_behind": 12, "behind_ms": 340, "restarts": 1, "most_restarts": 5, "message": "", "first_unequal": None, "faults": 2,
    "first_faults": [{"decision": 7000, "where": "comparison", "module": "vendor.spread 2.1.0", "text": "spread: keys gave no answer"}],
    "first": [{"decision": 8001, "at_ms": NOW // 10**6, "text": "", **{
        side: {"decision": f"-\t1700000012000\t0\tallocated\t[rm]default\tapp-3\tpod-7\t1\t{node}", "policies": {"node order": order}}
        for side, node, order in (("a", "node-5", "fair"), ("b", "node-2", "binpacking"))}}],
}
CONFIG = {"Partitions": [{"Name": "default", "Queues": [{"Name": "root", "Queues": None, "Limits": [
    {"Limit": "everybody", "Users": ["*"], "Groups": None, "MaxResources": {"vcore": "100"}, "MaxApplications": 20}]}]}]}
RMS = [
    {"rm": "rm-1", "state": "running", "connected": True, "since": NOW - 3600 * 10**9, "registered": NOW - 3600 * 10**9,
     "policyGroup": "default", "version": "1.0", "partitions": ["[rm-1]default"], "waitingRequests": 0, "waitingAnswers": 2, "retries": 0},
    {"rm": "rm-2", "state": "paused", "connected": False, "since": NOW - 60 * 10**9, "registered": NOW - 3600 * 10**9,
     "policyGroup": "default", "partitions": ["[rm-2]default"], "waitingRequests": 0, "waitingAnswers": 40, "retries": 3},
]
RESERVATIONS = [
    {"nodeID": f"node-{at:05}", "applicationID": f"app-{at:04}", "queueName": "root.team-0.jobs", "user": "user-1",
     "allocationKey": f"ask-{at}-0", "resource": resources(4, 16), "available": resources(1, 20), "requestTime": NOW - at * 10**9}
    for at in range(0, 93, 31)
]
PREEMPTIONS = [
    {"number": at, "time": NOW - at * 10**9, "queueName": "root.team-1.jobs", "applicationID": "app-0001",
     "allocationKey": f"pod-{at}", "nodeID": "node-00001", "resource": resources(1, 1),
     "message": "preempted for map[memory:1073741824 vcore:1500]"} for at in range(3)
]


def history() -> list:
    capacity = resources(1000, 4000)
    return [{"time": NOW - (360 - at) * 60 * 10**9, "span": 60 * 10**9, "capacity": capacity,
             "used": resources(at, 4 * at), "pending": resources(720 - at, 8), "waitingApplications": at % 9, "decisions": 50 + at,
             "placed": 40, "preempted": at % 2, "meanWaitSeconds": 1.5, "longestWaitSeconds": 90.0} for at in range(361)]


def queue_history() -> list:
    reasons = {"node": 3, "queue root.team-0": 9, "its turn": 1, "user user-3": 2, "RM": 1, "application": 1}
    return [{"time": NOW - (360 - at) * 60 * 10**9, "span": 60 * 10**9, "used": resources(at, 4 * at), "pending": resources(40, 8),
             "runningApplications": at % 7, "waitingAllocations": 17, "oldestWaitSeconds": 60.0 * at, "waitingFor": reasons}
            for at in range(361)]


def devices() -> list:
    def held(at: int) -> list:
        whole = {"applicationID": f"app-{at % 5:04}", "allocationKey": f"pod-{at}-0", "amount": 1000, "devices": [0, 1]}
        part = {"applicationID": "app-0007", "allocationKey": f"pod-{at}-1", "amount": 250, "devices": [2]}
        return [whole, part]
    return [{"nodeID": f"node-{at:05}", "schedulable": at % 29 != 3, "devices": [
        {"type": "gpu", "amount": 1000, "free": [0, 0, 750, 1000], "held": held(at)}]} for at in range(120)]


def usage(of: str) -> list:
    def one(name: str, key: str, more: dict) -> dict:
        below = {"queuePath": "root.team-0", "resourceUsage": resources(4, 8), "runningApplications": ["app-0001"],
                 "maxResources": resources(10, 100), "maxApplications": 5}
        return {key: name, "queues": {"queuePath": "root", "resourceUsage": resources(4, 8), "runningApplications": ["app-0001"],
                                      "children": [below]}} | more
    if of == "groups":
        return [one("people", "groupName", {"applications": ["app-0001"]})]
    return [one(f"user-{at}", "userName", {"groups": {"app-0001": "people"}}) for at in range(7)]


HEALTH = {"Healthy": True, "HealthChecks": [
    {"Name": "Scheduling errors", "Succeeded": True, "Description": "Check for scheduling error entries in metrics", "DiagnosisMessage": ""},
    {"Name": "Reservation check", "Succeeded": True, "Description": "Check the reservation nr compared to the number of nodes", "DiagnosisMessage": ""},
    {"Name": "Shadow", "Succeeded": True, "Description": "Check that the shadow follows the journal", "DiagnosisMessage": ""},
]}


class Cluster:
    """All answers for a number of nodes and applications."""

    def __init__(self, nodes: int = 200, applications: int = 90):
        self.nodes = [node(at) for at in range(nodes)]
        self.applications = {
            "active": [application(at) for at in range(applications)],
            "rejected": [application(1000 + at, "Rejected") for at in range(3)],
            "completed": [],
        }

    def partitions(self) -> list:
        capacity = resources(64 * len(self.nodes), 256 * len(self.nodes))
        used = {name: value * 6 // 10 for name, value in capacity.items()}
        one = {
            "clusterId": "rm-1", "name": "default",
            "capacity": {"capacity": capacity, "usedCapacity": used, "utilization": {"vcore": 60, "memory": 60}},
            "nodeSortingPolicy": {"type": "fair", "resourceWeights": {"vcore": 1.0, "memory": 1.0}}, "preemptionEnabled": True,
            "quotaPreemptionEnabled": False, "totalNodes": len(self.nodes), "totalContainers": 4312, "state": "Active",
            "applications": {"Running": len(self.applications["active"]), "Rejected": 3,
                             "total": len(self.applications["active"]) + 3},
        }
        return [one, one | {"name": "gpu", "totalNodes": 0, "totalContainers": 0, "capacity": {"capacity": {}, "usedCapacity": {},
                                                                                              "utilization": {}}, "applications": {"total": 0}}]
