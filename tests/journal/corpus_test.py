#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Journals that earlier builds wrote decide what they decided then."""

import argparse
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

CORPUS = pathlib.Path(__file__).parent / "corpus"
REPLAY = ""  # the program replay-digests


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
                was = archive.with_suffix("").with_suffix(".txt").read_text().splitlines()
                self.assertEqual(was, played.stdout.splitlines())
                self.assertGreater(len(was), 200)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--replay-digests", required=True)
    known, rest = parser.parse_known_args()
    REPLAY = known.replay_digests
    unittest.main(argv=[sys.argv[0], *rest])
