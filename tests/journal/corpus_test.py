#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Journals that earlier builds wrote decide what they decided then."""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))
from cases import run_cases  # noqa: E402

CORPUS = pathlib.Path(__file__).parent / "corpus"
KEPT = (CORPUS, CORPUS.with_name("runs"))
REPLAY = ""  # the program replay-digests
WRITE = False  # renews the digests instead of comparing them


def git(*arguments):
    """What git prints, or None where it refuses or is not there."""
    try:
        ran = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return ran.stdout if ran.returncode == 0 else None


def statuses(listed):
    """{path: A, M or D} of git's list of names and states."""
    return {path: status for status, path in (line.split("\t") for line in listed.splitlines())}


def changes_of(commit):
    return statuses(git("show", "--format=", "--name-status", "--no-renames", commit) or "")


def varint(of, at):
    """The number at this byte, and where the next value begins."""
    value = shift = 0
    while True:
        byte = of[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def commands_of(journal):
    """The number of each entry's command, in format 4 (docs/journal.md, "Bytes")."""
    at = journal.index(b"\n") + 1
    while at < len(journal):
        size, at = varint(journal, at)
        head, _ = varint(journal, at + 4)
        yield head // 2
        at += size


class Corpus(unittest.TestCase):
    def test_every_journal_decides_what_it_did(self):
        archives = sorted(CORPUS.glob("*.tar.xz"))
        self.assertTrue(archives, f"no archive in {CORPUS}")
        for archive in archives:
            with self.subTest(archive.name), tempfile.TemporaryDirectory() as folder:
                with tarfile.open(archive) as packed:
                    packed.extractall(folder)
                played = subprocess.run([REPLAY, folder], capture_output=True, text=True, timeout=300)
                self.assertEqual(played.returncode, 0, played.stderr)
                digests = archive.with_suffix("").with_suffix(".txt")
                if WRITE:
                    digests.write_text(played.stdout)
                was = digests.read_text().splitlines()
                self.assertEqual(was, played.stdout.splitlines(),
                                 f"if decisions may change: {sys.executable} -B {sys.argv[0]} --replay-digests {REPLAY} --write")
                self.assertGreater(len(was), 100)

    def test_what_this_build_would_write_is_what_format_4_has(self):
        with tempfile.TemporaryDirectory() as folder:
            was, again = pathlib.Path(folder, "was"), pathlib.Path(folder, "again")
            again.mkdir()
            with tarfile.open(CORPUS / "format-4.tar.xz") as packed:
                packed.extractall(was)
            played = subprocess.run([REPLAY, "--record", again, was], capture_output=True, text=True, timeout=300)
            self.assertEqual(played.returncode, 0, played.stderr)
            changed = [journal.name for journal in was.iterdir()
                       if journal.read_bytes() != (again / journal.name).read_bytes()]
            self.assertEqual([], changed)

    def test_every_command_is_there(self):
        page = ROOT.joinpath("docs/journal.md").read_text()
        names = {int(number): name for number, name in re.findall(r"^### (\d+): (\w+)$", page, re.MULTILINE)}
        self.assertGreater(len(names), 20)
        seen = collections.Counter()
        for archive in set(CORPUS.glob("*.tar.xz")) - {CORPUS / "format-3.tar.xz"}:
            with tarfile.open(archive) as packed:
                journals = [file for file in packed if file.name.endswith(".journal")]
                for file in journals:
                    seen.update(commands_of(packed.extractfile(file).read()))
        few = {name: seen[number] for number, name in names.items() if seen[number] < 10}
        self.assertEqual({}, few, "add an archive whose journals have this command")

    def test_archives_never_change_and_digests_only_with_decisions(self):
        if git("rev-parse", "--is-inside-work-tree") is None:
            self.skipTest("what was committed is not known here")
        changed = {commit: changes_of(commit) for commit in (git("log", "--format=%h", "--", *KEPT) or "").split()}
        changed["what is not committed"] = statuses(git("diff", "--name-status", "--no-renames", "HEAD") or "")
        for commit, files in changed.items():
            for path, status in files.items():
                if status == "A" or (ROOT / path).parent not in KEPT:
                    continue
                with self.subTest(commit=commit, path=path):
                    self.assertFalse(path.endswith(".xz"), "journals are never made anew")
                    if path.endswith(".txt"):
                        said = [other for other in files if other.startswith("docs/decisions")]
                        self.assertTrue(said, "digests change with the page that says how decisions change")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--replay-digests", required=True)
    parser.add_argument("--write", action="store_true", help="renews the digests of what journals decide")
    known, rest = parser.parse_known_args()
    REPLAY, WRITE = known.replay_digests, known.write
    run_cases(rest)
