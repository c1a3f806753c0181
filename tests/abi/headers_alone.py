#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Compiles each header of the SDK alone, twice in one source, under every language level and compiler."""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
from typing import NamedTuple

WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wshadow", "-Werror"]
C_COMPILERS, CPP_COMPILERS = ("gcc", "clang"), ("g++", "clang++")
SKIPPED = 77  # SKIP_RETURN_CODE of the ctest


class Job(NamedTuple):
    compiler: str
    level: str
    header: str


def jobs(include: pathlib.Path, family: str) -> list[Job]:
    """`family`: gcc or clang."""
    c, cpp = (C_COMPILERS[0], CPP_COMPILERS[0]) if family == "gcc" else (C_COMPILERS[1], CPP_COMPILERS[1])
    spoken_by_c = sorted(str(path.relative_to(include)) for path in include.rglob("*.h"))
    spoken_by_cpp = sorted(str(path.relative_to(include)) for path in include.rglob("*.hpp"))
    if not spoken_by_c or not spoken_by_cpp:
        raise SystemExit(f"headers: none below {include}")
    levels = [(c, "c11"), (c, "c17"), (cpp, "c++17"), (cpp, "c++20")]
    return [Job(compiler, level, header) for header in spoken_by_c for compiler, level in levels] + [
        Job(cpp, "c++20", header) for header in spoken_by_cpp
    ]


def complaint(job: Job, include: pathlib.Path) -> str:
    """What the compiler says, or nothing."""
    # The version is what a build system passes; once more, for the include guard.
    source = f'#include "{job.header}"\n#include "{job.header}"\nint tenon_not_empty;\n'
    language = "c" if job.level.startswith("c1") else "c++"
    run = subprocess.run(
        [job.compiler, f"-std={job.level}", *WARNINGS, "-I", include, "-fsyntax-only", "-x", language, "-"],
        input=source, capture_output=True, text=True)
    return f"{job.header} as {job.level} by {job.compiler}:\n{run.stderr}" if run.returncode else ""


def main() -> int:
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("family", choices=["gcc", "clang"])
    parser.add_argument("--include", type=pathlib.Path, default=here.parents[1] / "sdk/include")
    arguments = parser.parse_args()
    work = jobs(arguments.include, arguments.family)
    if missing := sorted({job.compiler for job in work if not shutil.which(job.compiler)}):
        print(f"headers: skipped, since there is no {' and no '.join(missing)} here")
        return SKIPPED
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = [text for text in pool.map(lambda job: complaint(job, arguments.include), work) if text]
    print("\n".join(complaints) or f"headers: {len(work)} compilations without complaint")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
