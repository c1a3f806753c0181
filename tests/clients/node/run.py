#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Installs what the client in Node needs, as its lock says, and runs it. Exit status 77: that cannot be had here."""

import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77


def skip(why: str) -> None:
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def main() -> int:
    folder, protos, *arguments = sys.argv[1:]
    place = pathlib.Path(folder)
    for program in ("node", "npm"):
        if not shutil.which(program):
            skip(f"there is no {program} here; install nodejs and npm to run this test")
    place.mkdir(parents=True, exist_ok=True)
    lock = (HERE / "package-lock.json").read_bytes()
    installed = place / "installed-lock.json"
    if not installed.exists() or installed.read_bytes() != lock:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, place)
        done = subprocess.run(
            ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-timeout=20000"],
            cwd=place, capture_output=True, text=True,
        )
        if done.returncode:
            skip(f"npm cannot install @grpc/grpc-js: {done.stderr.strip().splitlines()[-1:]}")
        installed.write_bytes(lock)
    shutil.copy(HERE / "session.mjs", place)
    return subprocess.run(["node", "session.mjs", protos, *arguments], cwd=place).returncode


if __name__ == "__main__":
    sys.exit(main())
