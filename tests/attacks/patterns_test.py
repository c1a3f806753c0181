#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Patterns that somebody wrote into a folder that is searched: they hold up neither the daemon nor `plugin list`."""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from daemon import WITHIN_S, Daemon, ServeCase, main  # noqa: E402

MANIFEST = """\
apiVersion: tenon.module/v1
id: acme.stranger
version: 1.0.0
vendor: Acme
license: Apache-2.0
description: Nobody asked for it.
library: stranger.so
digest: sha256:0000000000000000000000000000000000000000000000000000000000000000
abi_epoch: 1
draft_rev: 3
provides: [{ interface: tenon.node-sort/1, name: stranger, order_rev: 1 }]
config:
  type: object
  properties:
    name: { type: string, pattern: "PATTERN", default: "DEFAULT" }
"""


class Patterns(ServeCase):
    def searched(self, pattern: str, default: str) -> pathlib.Path:
        folder = self.folder / "modules"
        folder.mkdir(exist_ok=True)
        (folder / "stranger.yaml").write_text(MANIFEST.replace("PATTERN", pattern).replace("DEFAULT", default))
        return folder

    def test_a_pattern_that_takes_for_ever_elsewhere(self):
        for pattern, default in (("^(a+)+$", "a" * 50 + "b"), ("^([a-z]|[0-9])*$", "q" * 50_000 + "!"),
                                 ("^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 5_000)):
            folder = self.searched(pattern, default)
            listed = subprocess.run([Daemon.tenon, "plugin", "list", "--module-path", folder],
                                    capture_output=True, text=True, timeout=WITHIN_S)
            self.assertGreaterEqual(listed.returncode, 0, listed.stderr)  # and not by a signal
            self.assertIn("does not match the pattern", listed.stdout + listed.stderr)
            checked = subprocess.run([Daemon.tenon, "serve", "--check", "-c", self.deployment(), "--module-path", folder],
                                     capture_output=True, text=True, timeout=WITHIN_S)
            self.assertEqual(checked.returncode, 0, checked.stderr)


if __name__ == "__main__":
    main()
