#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Compares the ABI headers with the frozen ones by abidiff, without suppressions.

Each change that abidiff reports must stand in accepted.yaml with a reason, and each entry there must still be reported.
The layout check beside this one looks at constants and names, and at headers that are not frozen.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

CHANGED = re.compile(r"^'(?:struct |typedef |union )?(?P<name>\w+)[^']*' changed:$", flags=re.M)
FUNCTION = re.compile(r"^ +\[(?P<what>[DC])\] '(?:function|method) [^'(]*?(?P<name>\w+)\(", flags=re.M)


def structs_in(headers: pathlib.Path, wanted: list[str]) -> list[str]:
    return [struct for name in wanted
            for struct in re.findall(r"^typedef struct (\w+) \{", (headers / name).read_text(), flags=re.M)]


def probe(headers: pathlib.Path, wanted: list[str], structs: list[str], out: pathlib.Path, compiler: str):
    """A library whose interface are the structs, all of which stand in the headers that are wanted."""
    lines = [f'#include "{headers}/{name}"' for name in wanted]
    lines += [f"void probe_{name}({name} *it) {{ (void)it; }}" for name in structs]
    source = out.with_suffix(".c")
    source.write_text("\n".join(lines) + "\n")
    subprocess.run([compiler, "-g", "-O0", "-fPIC", "-shared", "-std=c11", "-fno-eliminate-unused-debug-types",
                    source, "-o", out], check=True)


def report(frozen: pathlib.Path, headers: pathlib.Path, compiler: str) -> dict[str, str]:
    """What changed: name -> abidiff's words for it."""
    wanted = sorted(path.name for path in frozen.glob("*.h"))
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        missing = [name for name in wanted if not (headers / name).exists()]
        if missing:
            return {name: "the header is gone" for name in missing}
        # A new struct changes no old one, so it is not looked at.
        frozen_structs, today = structs_in(frozen, wanted), structs_in(headers, wanted)
        both = [name for name in frozen_structs if name in today]
        probe(frozen, wanted, both, place / "frozen.so", compiler)
        probe(headers, wanted, both, place / "now.so", compiler)
        done = subprocess.run(["abidiff", "--harmless", "--leaf-changes-only", "--no-show-locs", place / "frozen.so", place / "now.so"],
                              capture_output=True, text=True)
    if done.returncode & 3:
        raise SystemExit(f"abidiff failed: {done.stdout}{done.stderr}")
    found = {name: "gone" for name in frozen_structs if name not in both}
    places = list(CHANGED.finditer(done.stdout))
    for at, following in zip(places, [*places[1:], None]):
        found[at["name"]] = done.stdout[at.end():following.start() if following else None].strip("\n")
    for one in FUNCTION.finditer(done.stdout):
        found[one["name"].removeprefix("probe_")] = {"D": "gone", "C": "changed"}[one["what"]]
    if done.returncode and not found:
        found["?"] = done.stdout
    return found


def check(frozen: pathlib.Path, headers: pathlib.Path, accepted: pathlib.Path, compiler: str) -> list[str]:
    entries = (yaml.safe_load(accepted.read_text()) or []) if accepted.exists() else []
    reasons = {entry["name"]: entry.get("reason", "") for entry in entries}
    found = report(frozen, headers, compiler)
    out = [f"{name}:\n{words}\n  want: what is frozen never changes; an append to a struct with a size may be listed in "
           f"{accepted.name}" for name, words in found.items() if name not in reasons]
    out += [f"{accepted.name}: '{name}' is not reported any more: take it out" for name in reasons if name not in found]
    out += [f"{accepted.name}: '{name}' has no reason" for name, reason in reasons.items() if len(reason.split()) < 4]
    return out


def main() -> int:
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--headers", type=pathlib.Path, default=here.parents[1] / "sdk/include/tenon/abi")
    parser.add_argument("--frozen", type=pathlib.Path, default=here / "frozen/epoch-1")
    parser.add_argument("--accepted", type=pathlib.Path, default=here / "accepted.yaml")
    parser.add_argument("--compiler", default="cc")
    arguments = parser.parse_args()
    if shutil.which("abidiff") is None:
        print("abidiff: skipped: the package abigail-tools is not installed")
        return 77
    found = check(arguments.frozen, arguments.headers, arguments.accepted, arguments.compiler)
    for sentence in found:
        print(f"abidiff: {sentence}")
    if not found:
        print(f"abidiff: the headers are those of {arguments.frozen.name}, or changed as {arguments.accepted.name} accepts")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
