#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Builds tenon-kubernetes, and tests it: `build.py FOLDER [--test TENON] [--race] [PACKAGE...]`.

The program comes to FOLDER/bin, and those of other packages that are named. With --test the unit tests run, and those which play a cluster against TENON, the
program `tenon`. With --race the program, or the tests, have Go's race detector, for which all of Kubernetes' client is compiled once
more. Modules come from Go's proxy, as go.sum says. Exit status 77: there is no Go here, or no modules; it says which."""

import argparse
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import go_module

LONGEST = "25m"  # of the tests of a package: a machine may be busy, and each test has a limit of its own


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--test", metavar="TENON", type=pathlib.Path)
    arguments.add_argument("--race", action="store_true")
    arguments.add_argument("packages", nargs="*")
    said = arguments.parse_intermixed_args()
    place = said.folder.resolve()
    go = go_module.toolchain()
    # Tests are compiled as the program is, so that what both use is compiled once.
    os.environ |= {"GOFLAGS": "-trimpath -ldflags=-s", "CGO_ENABLED": "0"}
    go_module.copied(HERE, place)
    go_module.downloaded(go, HERE, place)
    go_module.generate(go, place, {"tenon.invalid/proto": (ROOT / "sdk/proto", place / "proto")})
    race = ["-race"] if said.race else []
    environment = os.environ | ({"CGO_ENABLED": "1"} if said.race else {})  # the race detector needs C
    if not said.test:
        go_module.run([go, "build", *race, "-o", "bin/", "./cmd/tenon-kubernetes", *said.packages], place, env=environment)
        print(f"built {place / 'bin/tenon-kubernetes'}")
        return 0
    go_module.checked(go, HERE, place)
    environment |= {"TENON": str(said.test.resolve())}
    return subprocess.run([go, "test", *race, "-count=1", f"-timeout={LONGEST}", *(said.packages or ["-v", "./..."])], cwd=place, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
