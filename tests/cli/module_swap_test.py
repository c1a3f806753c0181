#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Another build of a module takes over while resource managers are served, and the one before comes back: who is connected
and what waits notices nothing, and a replay decides as the daemon did."""

import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import threading
import time

from daemon import QUEUES, WITHIN_S, Daemon, RmCase, end, main

MODULE = "example.least-attribute"
# Asks go on one after the other; of each placement the node is printed, and every end of a connection.
RM = """
import sys
sys.path.insert(0, sys.argv[2])
import tenon
def report(rm):
    for number in range(4):
        rm.add_node(f"node-{number}", {"vcore": 10**9}, attributes={"cost": str(number), "price": str(3 - number)})
    rm.add_application("app", "root.q0", "user", [])
with tenon.ResourceManager(sys.argv[1], "asking", report, version="1", policy_group="default") as rm:
    while not isinstance(rm.next(), tenon.ApplicationAccepted):
        pass
    asked = 0
    while True:
        rm.ask("app", f"ask-{asked}", {"vcore": 1})
        asked += 1
        while not isinstance(heard := rm.next(), tenon.Allocated):
            if not isinstance(heard, (tenon.NodeAccepted, tenon.ApplicationState)):
                print(type(heard).__name__, flush=True)
        print(heard.node, flush=True)
"""


class Swap(RmCase):
    lane = "isolation: none"

    def install(self, attribute: str, change=lambda library: library) -> str:
        """A build that goes by this attribute unless told otherwise; its digest."""
        modules = self.folder / "modules"
        modules.mkdir(exist_ok=True)
        # Bytes behind the end of a library: another build that does the same.
        library = change((Daemon.zoo / "least-attribute.so").read_bytes() + attribute.encode())
        manifest = (Daemon.zoo / "least-attribute.yaml").read_text().replace("default: cost", f"default: {attribute}")
        digest = hashlib.sha256(library).hexdigest()
        manifest = re.sub(r"sha256:[0-9a-f]{64}", f"sha256:{digest}", manifest)
        for name, content in (("least-attribute.so", library), ("least-attribute.yaml", manifest.encode())):
            (modules / f"{name}.draft").write_bytes(content)
            (modules / f"{name}.draft").rename(modules / name)
        return digest

    def serve(self, *options: str) -> Daemon:
        self.queues.write_text(QUEUES.replace("    queues:\n      - name: root",
                                              "    nodesortpolicy: { type: least-attribute }\n    queues:\n      - name: root"))
        return self.served("--record", f"{self.folder}/journal", "--decisions", f"{self.folder}/decisions", *options,
                           more="module_path: [modules]\ncontainment: { records: records }\n"
                           f"modules: [{{ id: {MODULE}, {self.lane} }}]\n")

    def ask(self) -> None:
        """An RM under way; `said` grows by what it says."""
        self.said: list[str] = []
        self.times: list[float] = []
        self.more = threading.Condition()
        process = subprocess.Popen([self.python, "-B", "-c", RM, f"unix:{self.folder}/rm.sock", self.package],
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(end, process)

        def read():
            for line in process.stdout:
                with self.more:
                    self.said.append(line.strip())
                    self.times.append(time.monotonic())
                    self.more.notify_all()
        threading.Thread(target=read, daemon=True).start()

    def placed_on(self, node: str) -> None:
        """From now on, soon and only."""
        with self.more:
            begun = len(self.said)
            self.assertTrue(self.more.wait_for(lambda: len(self.said) > begun + 20, WITHIN_S), self.said[-5:])
            self.assertEqual(set(self.said[begun + 5:]), {node})

    def swapped(self, daemon: Daemon, *options: str) -> dict:
        done = daemon.ctl("modules", "swap", MODULE, "--json", *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr + daemon.words())
        return json.loads(done.stdout)

    def module(self, daemon: Daemon) -> dict:
        return next(one for one in daemon.json("modules")["modules"] if one["id"] == MODULE)

    def test_a_build_takes_over_and_goes_back_while_pods_are_placed(self):
        first = self.install("cost")
        daemon = self.serve()
        self.ask()
        self.placed_on("node-0")
        second = self.install("price")
        self.placed_on("node-0")  # a file alone changes nothing
        done = self.swapped(daemon, "--reason", "prices")
        self.assertEqual((done["digest"], done["before"]), (second, first))
        self.placed_on("node-3")
        now = self.module(daemon)
        self.assertEqual((now["digest"], now["before"], now["swaps"], now["faults"]), (second, first, 1, 0))
        self.assertEqual(self.swapped(daemon, "--back")["digest"], first)
        self.placed_on("node-0")
        self.swapped(daemon, "--back")
        self.placed_on("node-3")
        # Nobody noticed: neither the connection nor an ask.
        self.assertLessEqual(set(self.said), {"node-0", "node-3"})
        daemon.wait_for_events("SYSTEM", lambda one: "swap module" in one["message"] and "because prices" in one["message"])
        self.assertEqual(daemon.finish(), 0, daemon.words())
        self.replays_the_same()

    def replays_the_same(self) -> None:
        again = self.folder / "again"
        done = subprocess.run([Daemon.tenon, "simulate", "--replay", f"{self.folder}/journal", "--deployment",
                               f"{self.folder}/tenon.yaml", "--decisions", str(again)], capture_output=True, text=True,
                              timeout=WITHIN_S)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(again.read_text(), (self.folder / "decisions").read_text())

    def test_a_replay_without_a_build_says_so(self):
        first = self.install("cost")
        daemon = self.serve()
        self.ask()
        self.placed_on("node-0")
        self.install("price")
        self.swapped(daemon)
        self.placed_on("node-3")
        self.assertEqual(daemon.finish(), 0, daemon.words())
        shutil.rmtree(self.folder / "module-builds" / first)
        done = subprocess.run([Daemon.tenon, "simulate", "--replay", f"{self.folder}/journal", "--deployment",
                               f"{self.folder}/tenon.yaml"], capture_output=True, text=True, timeout=WITHIN_S)
        self.assertIn(f"{MODULE}: the build sha256:{first[:12]} is not to be had", done.stderr)

    def test_what_is_wrong_with_a_build_is_found_before_it_takes_over(self):
        self.install("cost")
        daemon = self.serve()
        self.ask()
        self.placed_on("node-0")
        good = (self.folder / "modules/least-attribute.yaml").read_text()

        def refused(words: str, *options: str) -> None:
            done = daemon.ctl("modules", "swap", MODULE, *options)
            self.assertNotEqual(done.returncode, 0, done.stdout)
            self.assertIn(words, done.stderr)
            self.placed_on("node-0")

        refused("another build than the one in force")
        refused("a build from which the one in force took over", "--back")
        self.install("broken", lambda library: library[:5000])  # half of it was copied
        refused("least-attribute.so")
        self.install("price")
        manifest = self.folder / "modules/least-attribute.yaml"
        manifest.write_text(manifest.read_text().replace("name: least-attribute,", "name: another,"))
        refused("a build without it")
        self.install("price")
        manifest.write_text(manifest.read_text().replace("order_rev: 1", "order_rev: 2"))
        refused("order_rev")
        manifest.write_text(good)  # its library is not there any more
        refused("another build than the one in force")
        self.assertEqual(self.module(daemon)["swaps"], 0)
        done = daemon.ctl("modules", "swap", "tenon.grpc")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(daemon.finish(), 0, daemon.words())


class SwapOfPacks(Swap):
    """Each build is a version of its own, installed from a pack."""

    def install(self, attribute: str) -> str:
        version = {"cost": "1.0.0", "price": "1.1.0"}[attribute]
        built = self.folder / version
        built.mkdir()
        (built / "LICENSE").touch()
        library = (Daemon.zoo / "least-attribute.so").read_bytes().replace(b"1.0.0\0", version.encode() + b"\0")
        (built / "least-attribute.so").write_bytes(library)
        manifest = (Daemon.zoo / "least-attribute.yaml").read_text().replace("default: cost", f"default: {attribute}")
        (built / "least-attribute.yaml").write_text(manifest.replace("1.0.0", version))
        for words in (("seal", "least-attribute.yaml"), ("pack", "least-attribute.yaml", "--output", "pack.tar"),
                      ("install", "pack.tar", "--module-path", str(self.folder / "modules"), "--no-verify")):
            subprocess.run([Daemon.tenon, "plugin", *words], cwd=built, check=True, stdout=subprocess.DEVNULL)
        return hashlib.sha256(library).hexdigest()

    test_what_is_wrong_with_a_build_is_found_before_it_takes_over = None
    test_a_replay_without_a_build_says_so = None


class SwapInTheLane(Swap):
    lane = "isolation: process"

    test_what_is_wrong_with_a_build_is_found_before_it_takes_over = None
    test_a_replay_without_a_build_says_so = None


if __name__ == "__main__":
    main()
