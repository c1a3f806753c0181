#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""What-if questions to a daemon through each of its doors: the same question has the same answer, and the same refusal."""

import json
import re
import subprocess
import time
import urllib.error
import urllib.request

from daemon import WITHIN_S, Daemon, RmCase, end, main

TOKEN = "a-token-for-this-test"
SHARED = """
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - { name: batch }
          - name: prod
            resources: { guaranteed: { vcore: 2 }, max: { vcore: 3 } }
            properties: { preemption.delay: 1s }
"""
# Of the distribution's Python. Two nodes on which root.batch has all vcores; stays until its input ends.
RM = """
import sys
sys.path.insert(0, sys.argv[2])
import tenon
def report(rm):
    rm.add_application("busy", "root.batch", "ann", [])
    for i in range(2):
        rm.add_node(f"node-{i}", {"vcore": 4000, "memory": 1000})
    for i in range(8):
        rm.ask("busy", f"b-{i}", {"vcore": 1000, "memory": 10})
with tenon.ResourceManager(sys.argv[1], "shop", report, version="1", policy_group="default", checks=sys.argv[3] == "checks") as rm:
    placed = 0
    while placed < 8:
        heard = rm.next(60)
        if isinstance(heard, tenon.Check):
            rm.answer(heard, True)
        placed += isinstance(heard, tenon.Allocated)
    print("ready", flush=True)
    sys.stdin.read()
"""
# A question in JSON becomes the message by protobuf's own mapping, and the answer JSON.
ASKER = """
import json, sys
import grpc
address, package, token, rm, question = sys.argv[1:]
sys.path.insert(0, package)
from google.protobuf import json_format
from tenon.v1 import what_if_pb2 as of
request = json_format.ParseDict(json.loads(question), of.WhatIfRequest())
request.rmID = rm
with grpc.insecure_channel(address) as channel:
    call = channel.unary_unary("/tenon.v1.WhatIf/Ask", of.WhatIfRequest.SerializeToString, of.WhatIfResponse.FromString)
    try:
        said = call(request, wait_for_ready=True, timeout=60,
                    metadata=[("authorization", f"Bearer {token}")] if token else [])
        print(json_format.MessageToJson(said, preserving_proto_field_name=True, including_default_value_fields=True))
    except grpc.RpcError as failed:
        print(json.dumps({"code": failed.code().name, "words": failed.details()}))
"""
TIME = re.compile(r"[0-9T:.-]+Z")
NUMBERS = {"time_ms", "passed_ms", "after_ms", "decisions"}


def as_json(of):
    """protobuf's JSON has 64-bit numbers as texts, and leaves out messages that there are not."""
    if isinstance(of, list):
        return [as_json(one) for one in of]
    if not isinstance(of, dict):
        return of
    out = {key: int(value) if key in NUMBERS and isinstance(value, str) else as_json(value) for key, value in of.items()}
    return out | {"explanation": out.get("explanation")} if "outcome" in out and "victims" in out else out


def question(queue: str, **ask) -> dict:
    return {"applications": [{"queue": queue, "user": "ann", "asks": [ask]}]}


class Doors(RmCase):
    def serving(self, *, checks: bool = False, rm_over: str = "unix") -> None:
        self.queues.write_text(SHARED)
        (self.folder / "token").write_text(TOKEN)
        self.daemon = self.started(more=f"""transports:
  - use: tenon.grpc
    config: {{ listen: ["unix:{self.folder}/rm.sock", "127.0.0.1:0"], admin_token_file: {self.folder}/token }}
  - {{ use: tenon.rest, config: {{ listen: "127.0.0.1:0", address_file: {self.folder}/address }} }}
""")
        self.url = (self.folder / "address").read_text().strip()
        self.daemon.wait_for_words("listens on 127.0.0.1:")
        self.tcp = re.search(r"listens on (127\.0\.0\.1:\d+)", self.daemon.words())[1]
        self.unix = f"unix:{self.folder}/rm.sock"
        rm = subprocess.Popen([self.python, "-B", "-c", RM, self.unix if rm_over == "unix" else self.tcp, self.package,
                               "checks" if checks else "no"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(end, rm)
        self.assertEqual(rm.stdout.readline(), "ready\n")
        until = time.monotonic() + WITHIN_S
        while self.over_rest({}).get("code") == 404 and time.monotonic() < until:  # what it reads is up to 2 s old
            time.sleep(0.05)

    def over_rest(self, asked: dict | str, partition: str = "default") -> dict:
        body = asked if isinstance(asked, str) else json.dumps(asked)
        request = urllib.request.Request(f"{self.url}/tenon/v1/partition/{partition}/whatif", body.encode())
        try:
            with urllib.request.urlopen(request, timeout=WITHIN_S) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refused:
            with refused:
                return {"code": refused.code, "words": json.load(refused)["message"]}

    def over_grpc(self, asked: dict, *, rm: str = "shop", token: str = "", address: str = "") -> dict:
        done = subprocess.run([self.python, "-B", "-c", ASKER, address or self.unix, self.package, token, rm, json.dumps(asked)],
                              capture_output=True, text=True, timeout=2 * WITHIN_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        return as_json(json.loads(done.stdout))

    def over_ctl(self, asked: dict, exits: int | None = None) -> dict:
        file = self.folder / "question.json"
        file.write_text(json.dumps(asked))
        done = self.daemon.ctl("whatif", "--asks", str(file), "--json")
        if done.returncode == 2:
            return {"words": done.stderr}
        said = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if said["all_placed"] else 1)
        return said

    def everywhere(self, asked: dict) -> dict:
        """The answer, which is the same through all doors but for the time at which it was asked."""
        answers = [self.over_ctl(asked), self.over_rest(asked), self.over_grpc(asked), self.over_grpc(asked, rm="", token=TOKEN)]
        for one in answers:
            self.assertIn("asks", one, one)
            for obstacle in [o for ask in one["asks"] for o in (ask["explanation"] or {}).get("obstacles", [])]:
                obstacle["until_ms"], obstacle["text"] = bool(obstacle["until_ms"]), TIME.sub("then", obstacle["text"])
            for said in [one, *(ask["explanation"] for ask in one["asks"] if ask["explanation"])]:
                said["text"] = TIME.sub("then", said["text"])
            self.assertGreater(one.pop("time_ms"), 0)
            self.assertEqual(one, answers[0])
        return answers[0]

    def test_each_outcome_is_the_same_at_each_door(self):
        self.serving()
        before = self.daemon.json("apps")
        one = self.everywhere(question("root.batch", resources={"memory": "5"}, count=2))
        self.assertTrue(one["all_placed"])
        self.assertEqual((one["asks"][0]["outcome"], len(one["asks"][0]["placed"])), ("placed", 2))

        evicting = question("root.prod", key="mine", resources={"vcore": "2"}, allow_preempt_other=True)
        one = self.everywhere(evicting)["asks"][0]
        self.assertEqual((one["outcome"], {victim["queue"] for victim in one["victims"]}), ("evicts", {"root.batch"}))
        self.assertEqual(len(one["victims"]), 2)
        self.assertEqual(one["placed"][0]["node"], one["victims"][0]["node"])
        said = self.daemon.ctl("whatif", "--queue", "root.prod", "--user", "ann", "--resource", "vcore=2", "--preempt", "--key", "mine")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertRegex(said.stdout, r"what-if/mine in root.prod: 1 of 1 placed, 2 evicted\n    evicts busy/b-\d of root.batch on node-")

        one = self.everywhere(evicting | {"within_ms": 200})["asks"][0]  # before its delay is over
        self.assertEqual(one["outcome"], "waits")
        one = self.everywhere(question("root.prod", resources={"vcore": 3001}))["asks"][0]
        self.assertEqual((one["outcome"], one["explanation"]["obstacles"][0]["kind"]), ("waits", "queue-resources"))
        self.assertEqual(one["explanation"]["asked"], {"vcore": 3001})
        one = self.everywhere(question("root.none", resources={"vcore": 1}))["asks"][0]
        self.assertEqual(one["outcome"], "refused")
        self.assertIn("no placement rule matched", one["message"])

        several = {"applications": question("root.prod", resources={"vcore": 1})["applications"]
                   + [{"application": "busy", "asks": [{"key": "again", "resources": {"memory": 1}, "allow_preempt_self": False}]}]}
        self.assertEqual([(a["application"], a["outcome"]) for a in self.everywhere(several)["asks"]],
                         [("what-if", "waits"), ("busy", "placed")])
        self.assertEqual(self.daemon.json("apps"), before)

    def test_what_is_wrong_is_said_with_its_place_at_each_door(self):
        self.serving()
        for asked, place in (
                (question("root.batch", count=-1), "applications[0].asks[0].count: -1; want: 1 or more allocations"),
                (question("root.batch", resources={"vcore": "much"}), "applications[0].asks[0].resources.vcore: "),
                (question("root.batch", resources={"vcore": 1.5}), "applications[0].asks[0].resources.vcore: '1.5"),
                ({"applications": []}, "applications: none; want: at least one ask")):
            with self.subTest(place):
                self.assertIn(f"tenon: {place.partition(': ')[0]}\n", self.over_ctl(asked)["words"])
                rest, grpc = self.over_rest(asked), self.over_grpc(asked)
                self.assertEqual(rest["code"], 400, rest)
                self.assertEqual(grpc["code"], "INVALID_ARGUMENT", grpc)
                self.assertTrue(rest["words"].startswith(place), rest)
                self.assertTrue(grpc["words"].startswith(place), grpc)
        self.assertEqual(self.over_rest("{")["code"], 400)
        good = question("root.batch", resources={"memory": 1})
        self.assertEqual(self.over_rest(good, "none")["code"], 404)
        self.assertEqual(self.over_rest(good | {"partition": "default"})["code"], 400)
        self.assertEqual(self.over_grpc(good | {"partition": "none"})["code"], "NOT_FOUND")
        self.assertIn("[shop]default", self.over_ctl(good | {"partition": "none"})["words"])

    def test_an_rm_asks_about_its_own_partitions(self):
        self.serving(rm_over="tcp")
        good = question("root.batch", resources={"memory": 1})
        self.assertEqual(self.over_grpc(good, rm="")["code"], "UNAUTHENTICATED")
        self.assertEqual(self.over_grpc(good, rm="", token="of-somebody-else-here")["code"], "PERMISSION_DENIED")
        self.assertEqual(self.over_grpc(good, rm="other")["code"], "NOT_FOUND")
        # Its streams are open on another connection, and nothing says that this one is the same RM's.
        self.assertEqual(self.over_grpc(good, address=self.tcp)["code"], "ALREADY_EXISTS")
        for rm in ("", "shop"):
            self.assertEqual(self.over_grpc(good, rm=rm, token=TOKEN, address=self.tcp)["partition"], "[shop]default")
        self.assertEqual(self.over_grpc(good | {"partition": "[shop]default"}, rm="", token=TOKEN)["partition"], "[shop]default")

    def test_placements_that_an_rm_checks_are_subject_to_that(self):
        self.serving(checks=True)
        one = self.everywhere(question("root.batch", resources={"memory": 1}))
        self.assertTrue(one["subject_to_check"])
        self.assertIn("Each placement is subject to the check of its resource manager.", one["text"])
        one = self.everywhere(question("root.prod", resources={"vcore": 1000}, allow_preempt_other=True))
        self.assertEqual((one["asks"][0]["outcome"], one["subject_to_check"]), ("evicts", True))


if __name__ == "__main__":
    main()
