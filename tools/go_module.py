# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A Go module of this tree, copied into a build folder: there the code that is generated of the .proto files lies beside
the sources, and nothing is written into the tree. Used by the tests and builds of such modules."""

import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SKIPPED = 77
GENERATORS = ("google.golang.org/protobuf/cmd/protoc-gen-go", "google.golang.org/grpc/cmd/protoc-gen-go-grpc")
KEPT_SUFFIXES = (".go", ".yaml")  # what tests read besides
KEPT_NAMES = ("go.mod", "go.sum")


def skip(why: str) -> None:
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def run(command: list, cwd: pathlib.Path, **more) -> subprocess.CompletedProcess:
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def copied(source: pathlib.Path, place: pathlib.Path) -> None:
    """The sources, beside which the generated code will lie. What is unchanged keeps its time, so that Go's cache hits."""
    place.mkdir(parents=True, exist_ok=True)
    for file in source.rglob("*"):
        if file.is_file() and (file.suffix in KEPT_SUFFIXES or file.name in KEPT_NAMES):
            target = place / file.relative_to(source)
            if not target.exists() or target.read_bytes() != file.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, target)
    for old in (*place.rglob("*.go"), *place.rglob("*.yaml")):
        if not old.name.endswith(".pb.go") and not (source / old.relative_to(place)).exists():
            old.unlink()


def toolchain() -> str:
    """The path of a Go that is new enough; without one the program ends as skipped."""
    found = subprocess.run([ROOT / "tools/go", "--where"], capture_output=True, text=True)
    if found.returncode:
        skip(found.stderr.strip())
    os.environ["GOTOOLCHAIN"] = "local"
    return found.stdout.strip()


def downloaded(go: str, source: pathlib.Path, place: pathlib.Path) -> None:
    done = subprocess.run([go, "mod", "download"], cwd=place, capture_output=True, text=True)
    if done.returncode:
        skip(f"the Go modules of {source.relative_to(ROOT)} cannot be had: {done.stderr.strip().splitlines()[-1]}")


def generate(go: str, place: pathlib.Path, modules: dict[str, tuple[pathlib.Path, pathlib.Path]]) -> None:
    """Makes Go code of .proto files: of each module the folder of the files and that of the code."""
    tools = place / "bin"
    run([go, "build", "-o", f"{tools}/", *GENERATORS], place)
    for module, (folder, made) in modules.items():
        files = sorted(each.relative_to(folder) for each in folder.rglob("*.proto"))
        options = [option for name in ("go", "go-grpc") for option in (
            f"--plugin=protoc-gen-{name}={tools}/protoc-gen-{name}", f"--{name}_out={made}", f"--{name}_opt=module={module}")]
        run(["protoc", "-I", folder, *options, *files], place)


def staticcheck(go: str, place: pathlib.Path) -> pathlib.Path:
    """The program, built into that folder as tools/staticcheck pins it."""
    pins = ROOT / "tools/staticcheck"
    copied(pins, place)
    downloaded(go, pins, place)
    run([go, "build", "-o", "bin/", "honnef.co/go/tools/cmd/staticcheck"], place)
    return place / "bin/staticcheck"


def checked(go: str, source: pathlib.Path, place: pathlib.Path) -> None:
    """What machines check of Go's text."""
    run([go, "vet", "./..."], place)
    run([staticcheck(go, place.with_name(place.name + "-staticcheck")), "./..."], place)
    unlike = run([pathlib.Path(go).parent / "gofmt", "-l", "."], source).stdout
    if unlike:
        sys.exit(f"not formatted as gofmt does:\n{unlike}")
