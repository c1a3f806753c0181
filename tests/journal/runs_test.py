#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Long runs that the build wrote which closed format 3: a thousand of the simulator, and three traces."""

import argparse
import hashlib
import lzma
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from cases import run_cases  # noqa: E402

RUNS = pathlib.Path(__file__).parent / "runs"
PROGRAMS = argparse.Namespace()


def digests(name: str) -> list[str]:
    return (RUNS / name).read_text().splitlines()


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_of_the_simulator(self):
        with tarfile.open(RUNS / "simulator.tar.xz") as packed:
            packed.extractall(self.folder.name)
        played = subprocess.run([PROGRAMS.replay_digests, self.folder.name], capture_output=True, text=True)
        self.assertEqual(played.returncode, 0, played.stderr)
        if PROGRAMS.write:
            (RUNS / "simulator.txt").write_text(played.stdout)
        self.assertEqual(digests("simulator.txt"), played.stdout.splitlines(), how_to_renew())
        self.assertEqual(1000, len(digests("simulator.txt")))

    def test_of_traces(self):
        lines_now = []
        for line in digests("traces.txt"):
            name, lines, digest = line.split()
            with self.subTest(name):
                journal = pathlib.Path(self.folder.name, f"{name}.journal")
                decisions = pathlib.Path(self.folder.name, f"{name}.decisions")
                with lzma.open(RUNS / f"{name}.journal.xz") as packed, journal.open("wb") as out:
                    shutil.copyfileobj(packed, out)
                played = subprocess.run(
                    [PROGRAMS.tenon, "simulate", "--replay", journal, "--decisions", decisions, "--no-progress"],
                    capture_output=True, text=True)
                self.assertEqual(played.returncode, 0, played.stderr)
                now = counted(decisions)
                lines_now.append(f"{name} {now[0]} {now[1]}\n")
                if not PROGRAMS.write:
                    self.assertEqual((int(lines), digest), now, how_to_renew())
        if PROGRAMS.write:
            (RUNS / "traces.txt").write_text("".join(lines_now))


def how_to_renew() -> str:
    return (f"if decisions may change: {sys.executable} -B {sys.argv[0]} --replay-digests {PROGRAMS.replay_digests} "
            f"--tenon {PROGRAMS.tenon} --write")


def counted(decisions: pathlib.Path) -> tuple[int, str]:
    """Lines, and the SHA-256 of all of them."""
    lines, digest = 0, hashlib.sha256()
    with decisions.open("rb") as read:
        while block := read.read(1 << 20):
            lines += block.count(b"\n")
            digest.update(block)
    return lines, digest.hexdigest()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--replay-digests", required=True)
    parser.add_argument("--tenon", required=True)
    parser.add_argument("--write", action="store_true", help="renews the digests of what journals decide")
    PROGRAMS, rest = parser.parse_known_args()
    run_cases(rest)
