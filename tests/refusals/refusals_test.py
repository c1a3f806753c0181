#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Bad inputs of every kind (inputs/*.toml): each answer says where, what was wanted, what was found and how to mend it.

--show prints every answer with the parts that it lacks, and for each group how many inputs there are and how many answers are whole."""

import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))
import daemon  # noqa: E402
from answers import TOKENS, RestClient, RmClient  # noqa: E402

PARTS = ("where", "wanted", "found", "fix")
QUEUES = """\
partitions:
  - name: default
    queues:
      - name: root
        queues:
          - { name: prod, submitacl: "sue analysts", adminacl: sue }
          - { name: batch, submitacl: "*", resources: { max: { vcore: 2 } } }
          - { name: fair, submitacl: "*", properties: { application.sort.policy: fair } }
          - { name: closed, submitacl: "*" }
          - { name: teams, submitacl: "*", queues: [ { name: red }, { name: blue } ] }
"""


def inputs_of(group: str) -> tuple[list[dict], str]:
    read = tomllib.loads((HERE / f"inputs/{group}.toml").read_text())
    return read["input"], read.get("base", "")


def lacking(one: dict, status: int, said: str) -> list[str]:
    """The parts that the answer does not have, and its status where that is another one."""
    out = [part for part in PARTS if not re.search(one[part], said, re.IGNORECASE | re.DOTALL)]
    return out + ([f"status {one['status']}, not {status}"] if one.get("status", status) != status else [])


def run(*words: str, folder: pathlib.Path) -> tuple[int, str]:
    done = subprocess.run([daemon.Daemon.tenon, *words], capture_output=True, text=True, timeout=daemon.WITHIN_S)
    return done.returncode, (done.stderr + done.stdout).replace(f"{folder}/", "")


class Refusals(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="tenon-")))

    def check(self, group: str, say) -> None:
        all_lack = {}
        every, base = inputs_of(group)
        usual = {"status": 2} if isinstance(self, Files) else {}
        for one in every:
            one = usual | one
            status, said = say(one, base)
            if lack := lacking(one, status, said):
                all_lack[one["name"]] = f"lacks {', '.join(lack)} in:\n{said}"
            if SHOW:
                print(f"\n=== {group}: {one['name']}: {'lacks ' + ', '.join(lack) if lack else 'good'}\n{said.rstrip()}")
        if SHOW:
            print(f"\nTABLE {group} {len(every)} {len(every) - len(all_lack)}")
        self.assertFalse(all_lack, f"{len(all_lack)} of {len(every)}:\n" + "\n".join(f"* {k} {v}" for k, v in all_lack.items()))

    def file(self, name: str, text: str) -> str:
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def placed(self, words: list[str]) -> list[str]:
        return [word.replace("@", str(self.folder)) for word in words]


class Files(Refusals):
    """What is wrong with a file or a command line that no daemon is needed for."""

    def test_queues(self):
        def say(one, _):
            return run("config", "check", self.file("queues.yaml", one["text"]), folder=self.folder)
        self.check("queues", say)

    def test_deployment(self):
        self.file("queues.yaml", QUEUES)

        def say(one, _):
            text = one["text"] if one["text"].startswith("apiVersion") else f"apiVersion: tenon/v1\n{one['text']}\n"
            return run("config", "check", self.file("tenon.yaml", text), folder=self.folder)
        self.check("deployment", say)

    def test_manifest(self):
        def say(one, base):
            self.assertIn(one["change"][0], base)
            return run("config", "check", self.file("m.yaml", base.replace(*one["change"])), folder=self.folder)
        self.check("manifest", say)

    def test_scenario(self):
        (self.folder / "empty").mkdir()

        def say(one, base):
            self.file("s.yaml", one.get("text") or f"{base}{one.get('steps', '- note: nothing')}\n")
            return run("scenario", "run", *self.placed(one.get("words", ["@/s.yaml"])), folder=self.folder)
        self.check("scenario", say)

    def test_simulate(self):
        def say(one, _):
            for name, text in one.get("files", {}).items():
                self.file(name, text)
            said = run("simulate", "--no-progress", *self.placed(one["words"]), folder=self.folder)
            for name in one.get("files", {}):
                (self.folder / name).unlink()
            return said
        self.check("simulate", say)


class Served(Refusals):
    """What a daemon refuses."""

    def setUp(self):
        super().setUp()
        self.file("queues.yaml", QUEUES)
        self.file("tokens.yaml", "".join(f"- {{ token: {token}, user: {user}, all: {str(user == 'root').lower()} }}\n" for user, token in TOKENS.items()))
        (self.folder / "tokens.yaml").chmod(0o600)
        self.daemon = daemon.Daemon(self, pathlib.Path(self.file("tenon.yaml", f"""\
apiVersion: tenon/v1
policy_groups: {{ default: queues.yaml }}
control: {{ socket: control.sock }}
events: [{{ use: tenon.ring }}]
transports:
  - {{ use: tenon.grpc, config: {{ listen: 'unix:{self.folder}/rm.sock' }} }}
  - {{ use: tenon.rest, config: {{ listen: '127.0.0.1:0', address_file: {self.folder}/address, tokens: {self.folder}/tokens.yaml }} }}
""")))
        self.daemon.wait("READY=1")

    def client(self, rm: str) -> RmClient:
        return self.enterContext(RmClient(f"unix:{self.folder}/rm.sock", rm))

    def tolk(self) -> None:
        """A resource manager that stays, with something that runs and something that waits."""
        rm = self.client("tolk")
        rm.begin()
        for key, cores in (("run-1", 1000), ("wait-1", 900_000)):
            rm.send("UpdateAllocation", {"allocations": [{
                "allocationKey": key, "applicationID": "app-1", "partitionName": "default",
                "resourcePerAlloc": {"resources": {"vcore": {"value": cores}}}}]})
        rm.wait_for_allocation()

    def test_rm(self):
        number = iter(range(1000))

        def say(one, _):
            with RmClient(f"unix:{self.folder}/rm.sock", f"rm-{next(number)}") as rm:
                if "register" in one:
                    return 0, rm.register(one["register"])
                if not one.get("unregistered"):
                    rm.begin(named=not one.get("unnamed"))
                if before := one.get("before"):
                    done = self.daemon.ctl(*before, "--partition", f"[{rm.name}]default")
                    self.assertEqual(done.returncode, 0, done.stderr)
                rm.send(one["stream"], one["send"], named=not one.get("unnamed"))
                if not one.get("log"):
                    return 0, rm.refusal()
                words = rm.name + one["log"]
                self.daemon.wait_for_words(words)
                return 0, next(line for line in self.daemon.log if words in line)
        self.check("rm", say)

    def test_rest(self):
        self.tolk()
        client = RestClient((self.folder / "address").read_text().strip())
        self.check("rest", lambda one, _: client.ask(one))

    def test_ctl(self):
        self.tolk()

        def say(one, _):
            words = self.placed(one["words"])
            control = () if "--control" in words else ("--control", str(self.daemon.control))
            return run("ctl", *words, *control, folder=self.folder)
        self.check("ctl", say)


SHOW = "--show" in sys.argv

if __name__ == "__main__":
    if SHOW:
        sys.argv.remove("--show")
    daemon.main()
