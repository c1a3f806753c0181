#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Which Go tools/go takes, and what it says where it takes none. The toolchains are scripts that know their version."""

import os
import pathlib
import subprocess
import tempfile
import unittest

GO = pathlib.Path(__file__).resolve().parents[3] / "tools/go"


class Toolchain(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="tenon-"))
        self.folder = pathlib.Path(folder)
        self.on_path = self.folder / "bin/go"
        # Where tools/setup would put the one that it brings.
        self.brought = pathlib.Path(self.run_go("--brought").stdout.strip()) / "go/bin/go"

    def run_go(self, *words: str) -> subprocess.CompletedProcess:
        environment = {"PATH": f"{self.folder}/bin:/usr/bin:/bin", "XDG_CACHE_HOME": str(self.folder), "HOME": str(self.folder)}
        return subprocess.run([GO, *words], capture_output=True, text=True, env=environment)

    def toolchain(self, place: pathlib.Path, version: str) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f'#!/bin/sh\n[ "$1" = env ] && echo {version} || echo "{version} $* $GOTOOLCHAIN"\n')
        place.chmod(0o755)

    def test_what_is_on_path_goes_first_where_it_is_new_enough(self):
        self.toolchain(self.on_path, "go1.99.1")
        self.toolchain(self.brought, "go1.98.0")
        self.assertEqual(self.run_go("--where").stdout, f"{self.on_path}\n")
        self.assertEqual(self.run_go("test", "./...").stdout, "go1.99.1 test ./... local\n")

    def test_an_old_one_on_path_gives_way_to_the_one_that_setup_brought(self):
        for old in ("go1.9.7", "go1.19.8", "go1.25.11"):
            self.toolchain(self.on_path, old)
            self.toolchain(self.brought, "go1.27.0")
            self.assertEqual(self.run_go("--where").stdout, f"{self.brought}\n", old)

    @unittest.skipIf(list(pathlib.Path("/usr/lib").glob("go-*")), "the distribution's Go is installed here")
    def test_without_one_it_says_what_was_wanted_and_found(self):
        done = self.run_go("version")
        self.assertEqual(done.returncode, 77)
        self.assertRegex(done.stderr, r"want: Go 1\.\d+ or newer\n  have: none\n  fix:  tools/setup go\n")
        self.toolchain(self.on_path, "go1.19.8")
        done = self.run_go("version")
        self.assertEqual(done.returncode, 77)
        self.assertIn(f"have: {self.on_path} is 1.19.8\n", done.stderr)

    def test_the_modules_want_no_newer_one(self):
        least = self.run_go("--least").stdout.strip()
        for module in (path for folder in ("tests/clients/go", "bridges/kubernetes") for path in (GO.parents[1] / folder).rglob("go.mod")):
            self.assertRegex(module.read_text(), rf"(?m)^go {least}(\.0)?$", module)


if __name__ == "__main__":
    unittest.main()
