#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Builds the resource managers in Go and plays them against `tenon serve`: `run.py BUILD-FOLDER TENON [PACKAGE...]`.

Modules come from Go's proxy, as go.sum says, into Go's own cache. Code is generated into the build folder. Exit status
77: there is no Go here, or no modules; it says which."""

import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SKIPPED = 77
GENERATORS = ("google.golang.org/protobuf/cmd/protoc-gen-go", "google.golang.org/grpc/cmd/protoc-gen-go-grpc")


def skip(why: str) -> None:
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def run(command: list, cwd: pathlib.Path, **more) -> subprocess.CompletedProcess:
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def copied(place: pathlib.Path) -> None:
    """The sources, beside which the generated code will lie. What is unchanged keeps its time, so that Go's cache hits."""
    for source in HERE.rglob("*"):
        if source.is_file() and (source.suffix == ".go" or source.name in ("go.mod", "go.sum")):
            target = place / source.relative_to(HERE)
            if not target.exists() or target.read_bytes() != source.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)
    for old in place.rglob("*.go"):
        if not old.name.endswith(".pb.go") and not (HERE / old.relative_to(place)).exists():
            old.unlink()


def generate(go: str, place: pathlib.Path) -> None:
    tools = place / "bin"
    run([go, "build", "-o", f"{tools}/", *GENERATORS], place)
    for module, folder in (("tenon.invalid/proto", ROOT / "sdk/proto"), ("tenon.invalid/clients", HERE)):
        files = sorted(each.relative_to(folder) for each in folder.rglob("*.proto"))
        made = place / "proto" if folder != HERE else place
        options = [option for name in ("go", "go-grpc") for option in (
            f"--plugin=protoc-gen-{name}={tools}/protoc-gen-{name}", f"--{name}_out={made}", f"--{name}_opt=module={module}")]
        run(["protoc", "-I", folder, *options, *files], place)


def main() -> int:
    place, tenon, *packages = sys.argv[1:]
    place = pathlib.Path(place)
    place.mkdir(parents=True, exist_ok=True)
    found = subprocess.run([ROOT / "tools/go", "--where"], capture_output=True, text=True)
    if found.returncode:
        skip(found.stderr.strip())
    go = found.stdout.strip()
    os.environ["GOTOOLCHAIN"] = "local"
    copied(place)
    downloaded = subprocess.run([go, "mod", "download"], cwd=place, capture_output=True, text=True)
    if downloaded.returncode:
        skip(f"the Go modules of tests/clients/go cannot be had: {downloaded.stderr.strip().splitlines()[-1]}")
    generate(go, place)
    run([go, "vet", "./..."], place)
    unlike = run([pathlib.Path(go).parent / "gofmt", "-l", "."], HERE).stdout
    if unlike:
        sys.exit(f"not formatted as gofmt does:\n{unlike}")
    environment = os.environ | {"TENON": str(pathlib.Path(tenon).resolve())}
    return subprocess.run([go, "test", "-count=1", "-timeout=10m", *(packages or ["-v", "./..."])], cwd=place, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
