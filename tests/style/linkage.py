#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Checks what built libraries need and export, as readelf and nm tell it."""

import argparse
import pathlib
import re
import subprocess
import sys
from typing import Iterator

RUNTIME = {"libstdc++.so.6", "libm.so.6", "libgcc_s.so.1", "libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
KERNEL = RUNTIME | {"libre2.so.9"}
ENTRY = "tenon_module_v1"
MODULES = "lib/tenon/modules"


def output(*command: str | pathlib.Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed(library: pathlib.Path) -> set[str]:
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "--wide", "--dynamic", library)))


def exported(library: pathlib.Path) -> set[str]:
    """Names of defined dynamic symbols, without the version after '@'."""
    lines = output("nm", "--dynamic", "--defined-only", "--format=posix", library).splitlines()
    return {line.split()[0].partition("@")[0] for line in lines}


def of_kernel(library: pathlib.Path) -> Iterator[str]:
    if extra := needed(library) - KERNEL:
        yield f"needs {', '.join(sorted(extra))}; the kernel needs RE2 and the C and C++ runtime alone"


def of_module(library: pathlib.Path) -> Iterator[str]:
    if (names := exported(library)) != {ENTRY}:
        yield f"exports {', '.join(sorted(names)) or 'nothing'}; a module exports {ENTRY} alone"
    if kernel := {name for name in needed(library) if name.startswith("libtenon_kernel")}:
        yield f"needs {kernel.pop()}; a module sees the host through the ABI alone"


def of_any(library: pathlib.Path) -> Iterator[str]:
    dynamic = output("readelf", "--wide", "--dynamic", library)
    if "(TEXTREL)" in dynamic:
        yield "has text relocations; compile with -fPIC"
    for path in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic):
        if outside := [part for part in path.split(":") if not part.startswith("$ORIGIN")]:
            yield f"looks for libraries in {outside[0]}, a place of this machine"
    if re.search(r"GNU_STACK\s.*\sRWE\s", output("readelf", "--wide", "--segments", library)):
        yield "has an executable stack"


def complaints(build: pathlib.Path) -> Iterator[str]:
    kernel = build / "lib/libtenon_kernel.so"
    modules = sorted((build / MODULES).rglob("*.so"))
    if not kernel.exists():
        yield f"{kernel.name} is not built; build everything first"
    for library in [kernel] * kernel.exists() + modules:
        for check in (of_kernel if library == kernel else of_module, of_any):
            for text in check(library):
                yield f"{library.relative_to(build)}: {text}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path, help="a build folder, e.g. build/release")
    found = list(complaints(parser.parse_args().build))
    print("\n".join(found) or "linkage: no complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
