#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Builds the resource managers in Go and plays them against `tenon serve`: `run.py BUILD-FOLDER TENON [PACKAGE...]`.

Modules come from Go's proxy, as go.sum says, into Go's own cache. Code is generated into the build folder. Exit status
77: there is no Go here, or no modules; it says which."""

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import go_module


def main() -> int:
    place, tenon, *packages = sys.argv[1:]
    place = pathlib.Path(place)
    go = go_module.toolchain()
    go_module.copied(HERE, place)
    go_module.downloaded(go, HERE, place)
    go_module.generate(go, place, {
        "tenon.invalid/proto": (ROOT / "sdk/proto", place / "proto"), "tenon.invalid/clients": (HERE, place)})
    go_module.checked(go, HERE, place)
    environment = os.environ | {"TENON": str(pathlib.Path(tenon).resolve())}
    return subprocess.run([go, "test", "-count=1", "-timeout=10m", *(packages or ["-v", "./..."])], cwd=place, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
