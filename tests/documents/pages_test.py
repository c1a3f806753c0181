#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Every block of commands in the documents is run and what it shows is compared, or the page says why not.

A comment right above a block has the reason: `<!-- not run: REASON -->` above commands, `<!-- shown alone: REASON -->` above an
output without the command that prints it.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import page_session
from page_session import Session, until_socket

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRACES = ROOT / "tests/data/traces"
ARGUMENTS = argparse.Namespace()
PAGES = page_session.documents(ROOT)
READER_S_PREFIX = "/path/to/installed/tenon"

# Pages that another test plays, from the packages or with an SDK alone.
ELSEWHERE = {
    "cli/service/installed.md": "tests/packages/packages_test.py",
    "docs/cookbook.md": "tests/sdk/out_of_tree_test.py",
    "docs/tutorial.md": "tests/packages/packages_test.py",
    "docs/writing-an-rm.md": "tests/packages/packages_test.py",
}

OPENB = f"gunzip -c {TRACES}/openb-nodes.csv.gz >nodes.csv; gunzip -c {TRACES}/openb-pods.csv.gz >pods.csv\n"
PHILLY = f"gunzip -c {TRACES}/philly-jobs.csv.gz >jobs.csv; cp {TRACES}/philly-machines.csv machines.csv\n"
A_JOB_IN_SWF = "printf '; MaxProcs: 8\\n1 0 0 3600 2 -1 -1 2 3600 -1 1 1 1 1 1 1 -1 -1\\n' >jobs.swf\n"
DAEMON = ("tenon serve", until_socket("control.sock"))

# How the other pages are played: what they take for granted, and what their reader puts in.
PLAYED = {
    "README.md": Session(
        before=f"ln -s {ROOT}/tests tests; mkdir build cli; ln -s \"$BUILD\" build/release; cp -r {ROOT}/cli/service cli; "
               "cp \"$DEPLOYMENT\"/local.yaml cli/service",
        instead=(("/path/to/tenon/", f"{ROOT}/"),),
        after=(DAEMON,)),
    "docs/conformance.md": Session(
        before=f"tenon plugin new acme-binpack --kind node-sort; cd acme-binpack; ln -s {ROOT}/tests in-tree; "
               f"cmake -B build -Dtenon-sdk_DIR={ROOT}/sdk/cmake; cmake --build build; ln -s \"$BUILD\" build/release",
        instead=(("tests/scenarios", "in-tree/scenarios"), ("--seeds 1000", "--seeds 5"))),  # what takes minutes is a phase of tools/test
    "docs/control-socket.md": Session(
        before="cp \"$DEPLOYMENT\"/* .; tenon serve -c local.yaml --control control.sock >serve.log 2>&1 &\n" + until_socket("control.sock") +
               "\nnc() { python3 -c 'import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); "
               "s.sendall(sys.stdin.buffer.read()); s.shutdown(1); print(s.makefile().read(), end=\"\")' \"$2\"; }",
        instead=(("/run/tenon/control.sock", "control.sock"), ('"more":true', '"more":false'))),  # there are no nodes
    "docs/devices.md": Session(before=OPENB),
    "docs/diff.md": Session(),
    "docs/explain.md": Session(
        before="printf 'sn,cpu_milli,memory_mib,gpu,model\\nn1,8000,16384,0,\\n' >nodes.csv\n"
               "printf 'name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\\n' >pods.csv\n"
               "for name in first second last; do echo \"$name,2000,1024,0,0,,LS,Running,0,1000,0\"; done >>pods.csv\n"
               "echo 'partitions: [{name: default, queues: [{name: root, submitacl: \"*\", queues: [{name: a, resources: {max: {vcore: 3}}}]}]}]' >queues.yaml"),
    "docs/grpc.md": Session(),
    "docs/packing.md": Session(before=OPENB),
    "docs/packs.md": Session(
        before="echo 'Do as you like.' >LICENSE\n"
               "for version in 1.0.0 1.1.0; do mkdir build-$version; for file in least-attribute.so least-attribute.yaml; do\n"
               "  LC_ALL=C sed \"s/1\\.0\\.0/$version/; s/^id: example/id: acme/\" \"$BUILD/tests/cli/modules/$file\" >build-$version/$file\n"
               "done; tenon plugin seal build-$version/least-attribute.yaml; done"),
    "docs/plan.md": Session(),
    "docs/scenarios.md": Session(),
    "docs/serve.md": Session(
        before="cp \"$DEPLOYMENT\"/queues.yaml .; export XDG_RUNTIME_DIR=$PWD/run; mkdir -m 700 run",
        instead=(("unix:/tmp/tenon-rm.sock", "unix:rm.sock"),
                 ("  - use: tenon.rest   ", "  - use: tenon.rest\n    config: { listen: \"127.0.0.1:0\" }   "),
                 ("$ tenon serve -c tenon.yaml\n", "$ tenon serve -c tenon.yaml &\n")),  # the next command is of another shell
        after=(("tenon serve -c tenon.yaml &", until_socket("run/tenon/control.sock")),)),
    "docs/shadow.md": Session(
        before="cp \"$DEPLOYMENT\"/queues.yaml .; export XDG_RUNTIME_DIR=$PWD/run; mkdir -m 700 run",
        instead=(("--decisions day.decisions\n$ tenon ctl", "--decisions day.decisions &\n$ tenon ctl"),
                 ("--record day.journal --decisions day.decisions --no-progress", "--record run.journal --decisions run.decisions --no-progress"),
                 ("$ tenon shadow day.journal -c tenon.yaml --decisions day.decisions", "$ tenon shadow run.journal -c tenon.yaml --decisions run.decisions")),
        after=(("tenon serve -c tenon.yaml --record", until_socket("run/tenon/control.sock")),)),
    "docs/simulate.md": Session(before=OPENB + PHILLY + A_JOB_IN_SWF),
    "docs/oracle.md": Session(before="mkdir build; ln -s \"$BUILD\" build/release", instead=(("--seeds 1000", "--seeds 5"),)),
    "docs/tune.md": Session(),
    "docs/what-if.md": Session(),
    "docs/writing-a-policy.md": Session(
        before=f"cp {ROOT}/sdk/examples/least-attribute/* {ROOT}/sdk/examples/roomiest-c/{{module.c,roomiest.yaml}} .; "
               f"cp -r {ROOT}/sdk/examples/detour-rust/{{Cargo.toml,detour.yaml,src}} .; "
               "export PATH=\"$BUILD/bin:/usr/bin:/bin:$PATH\"; "  # the distribution's cargo
               "ls() { command ls -C \"$@\"; }",  # as on a terminal
        instead=((READER_S_PREFIX, "$PREFIX"),)),
}


def page(name: str) -> str:
    return (ROOT / name).read_text()


def is_of_commands(block: page_session.Block) -> bool:
    return block.language in ("console", "sh", "bash", "shell")


# A line that looks like a command, or what one prints, in a block that does not say so.
COMMAND_LIKE = re.compile(r"^(?:[$#] |[A-Z_]+=\S+ )?(?:tenon|apt|apt-get|cmake|ctest|build/release/bin/\S+|tools/\w+) ", flags=re.M)


def unknown_blocks(name: str, text: str) -> list[str]:
    """Blocks of which this test does not know whether they are run."""
    out = []
    for block in page_session.blocks(text):
        where = f"{name}:{block.line}: {block.first}"
        if is_of_commands(block):
            if name not in PLAYED and name not in ELSEWHERE and not block.not_run:
                out.append(f"{where}: is not run; add the page to PLAYED in tests/documents/pages_test.py, "
                           "or write <!-- not run: REASON --> above the block")
            elif not block.not_run and (block.language != "console" or not block.first.startswith("$ ")):
                out.append(f"{where}: commands are in a block `console`, behind \"$ \"")
        elif block.language in ("", "text") and not block.written:
            if COMMAND_LIKE.search(block.body):
                out.append(f"{where}: commands are in a block `console`, behind \"$ \"")
            elif block.language == "" and not is_drawing(block.body) and not block.shown_alone:
                out.append(f"{where}: is an output without the command that prints it; show the command, "
                           "or write <!-- shown alone: REASON --> above the block")
    return out


def is_drawing(text: str) -> bool:
    """A picture or a grammar, not what a program prints: it has arrows or bars, or is one line without a blank."""
    return "->" in text or "|" in text or not re.search(r"\s", text.strip())


class Pages(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tenon-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.prefix = cls.folder / "prefix"

    def test_every_block_of_commands_is_run_or_has_a_reason(self):
        self.assertEqual("\n".join(wrong for name in PAGES for wrong in unknown_blocks(name, page(name))), "")

    def test_a_block_that_nobody_runs_is_found(self):
        for name, text in (("docs/metrics.md", "```console\n$ tenon ctl queues\n```\n"), ("docs/serve.md", "```sh\ntenon ctl queues\n```\n"),
                           ("docs/serve.md", "```\ntenon ctl queues\n```\n"), ("docs/serve.md", "```console\n# reboot\n```\n"),
                           ("docs/serve.md", "```text\n$ tenon ctl\n```\n"), ("docs/serve.md", "```\n3 queues are full\n```\n"),
                           ("docs/metrics.md", "```bash\ncurl\n```\n")):
            with self.subTest(text):
                self.assertEqual(len(unknown_blocks(name, text)), 1)
        for name, text in (("docs/serve.md", "```console\n$ tenon ctl\n```\n"), ("docs/metrics.md", "```yaml\ntenon: 1\n```\n"),
                           ("docs/metrics.md", "<!-- not run: it waits -->\n```sh\nreboot\n```\n"),
                           ("docs/serve.md", "<!-- shown alone: of a log -->\n```\n3 queues are full\n```\n")):
            self.assertEqual(unknown_blocks(name, text), [])

    def test_reasons_are_of_blocks_that_are_there(self):
        for name in PAGES:
            marks = len(re.findall(r"^<!-- (?:not run|shown alone)\b", page(name), flags=re.M))
            used = sum(bool(block.not_run or block.shown_alone) for block in page_session.blocks(page(name)))
            self.assertEqual(used, marks, f"{name}: a comment `not run: REASON` or `shown alone: REASON` is not right above a block")
        for name, test in ELSEWHERE.items():
            self.assertIn(name, (ROOT / test).read_text())
        for name in PLAYED:
            self.assertTrue(any(is_of_commands(block) for block in page_session.blocks(page(name))), name)

    def test_ctest_plays_every_page(self):
        """tests/documents/CMakeLists.txt finds the pages by the text of their entries in PLAYED."""
        if ARGUMENTS.cases is not None:
            made = [f"Pages.{case.removeprefix('test_')}" for case in dir(Pages) if case.startswith("test_play_")]
            self.assertEqual(sorted(ARGUMENTS.cases.split(",")), sorted(made), 'write each entry as `    "PAGE": Session(`')

    def test_the_demo_builds_what_README_runs_afterwards(self):
        """Besides the program these are the Python package, and the checks that tests of a new module run."""
        built = re.search(r"^targets=\(([^)]*)\)", (ROOT / "tools/demo").read_text(), flags=re.M)[1].split()
        self.assertLessEqual({"tenon", "tenon_python", "tenon_conformance"}, set(built))

    def test_what_varies_is_needed(self):
        shown = "".join(step.shown for name in PAGES for step in page_session.steps(page(name)))
        for pattern, _, why in page_session.VARIES:
            self.assertRegex(shown, pattern, why)

    def play(self, name: str):
        here = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        deployment = here / ".deployment"
        deployment.mkdir()
        for file in ("local.yaml", "queues.yaml"):
            (deployment / file).write_text((ROOT / "cli/service" / file).read_text().replace("127.0.0.1:9080", "127.0.0.1:0"))
        environment = {
            "PATH": f"{ARGUMENTS.build / 'bin'}:{os.environ['PATH']}", "HOME": str(here), "LANG": "C.UTF-8",
            "CC": ARGUMENTS.cc, "CXX": ARGUMENTS.cxx, "CMAKE_GENERATOR": "Ninja", "BUILD": str(ARGUMENTS.build), "DEPLOYMENT": str(deployment),
            "PREFIX": str(self.prefix), "PKG_CONFIG_PATH": str(self.prefix / "lib/pkgconfig"),
        }
        session = PLAYED[name]
        if any("$PREFIX" in put_in for _, put_in in session.instead):
            subprocess.run([ARGUMENTS.cmake, "--install", ARGUMENTS.build, "--component", "sdk", "--prefix", self.prefix],
                           check=True, stdout=subprocess.DEVNULL)
        (here / "work").mkdir()
        page_session.play(ROOT / name, here / "work", environment, session)


def add_page(name: str):
    setattr(Pages, "test_play_" + re.sub(r"\W", "_", name.removeprefix("docs/").removesuffix(".md")), lambda self: self.play(name))


for name in PLAYED:
    add_page(name)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="a build folder of Tenon")
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    parser.add_argument("--cases", help="the cases that play a page in ctest, joined by commas")
    ARGUMENTS, others = parser.parse_known_args()
    programs = ("tenon", "sim")
    if missing := [name for name in programs if not (ARGUMENTS.build / "bin" / name).exists()]:
        print(f"skipped: {', '.join(missing)} is not built; cmake --build --preset release builds all")
        sys.exit(77)
    if missing := [name for name in ("gunzip", "openssl", "pkg-config", "stdbuf") if not shutil.which(name)]:
        print(f"skipped: pages use {', '.join(missing)}, which is not installed")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *others])
