#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Compares what the crate tenon-sdk says of the ABI, line by line, with the C headers as a compiler lays them out."""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/abi"))
import layout  # noqa: E402

HEADERS = ROOT / "sdk/include/tenon/abi"
PLAIN = {"u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t", "i64": "int64_t", "c_char": "char", "c_void": "void"}


def c_type(rust: str) -> str:
    """The type of a member as the C headers write it, without blanks."""
    if slot := re.fullmatch(r"Slot[23]<(.*)>", rust):
        return "tenon_status(*)(" + ",".join(c_type(one.strip()) for one in slot[1].split(",") if one.strip()) + ")"
    if array := re.fullmatch(r"\[(\w+); ?(\d+)\]", rust):
        return f"{c_type(array[1])}[{array[2]}]"
    if constant := re.fullmatch(r"\*const (.+)", rust):
        return f"const {c_type(constant[1])}*"
    if pointer := re.fullmatch(r"\*mut (.+)", rust):
        return f"{c_type(pointer[1])}*"
    return PLAIN.get(rust, rust)


def in_one_spacing(c: str) -> str:
    """The C type without blanks, tags and names of parameters."""
    c = re.sub(r"\*\s*\w+(?=[,)])", "*", c.replace("struct ", ""))
    return re.sub(r"\s*([*,()\[\]])\s*", r"\1", c)


def value(headers: layout.Layout, text: str):
    """What a constant of the headers is."""
    text = re.sub(r"\((?:\w+)\)(?=\d)", "", text).strip("()")
    known = {"INT64_MAX": 2**63 - 1}
    return text.strip('"') if text.startswith('"') else known[text] if text in known else int(text.rstrip("u"))


def complaints(said: str, headers: layout.Layout) -> list[str]:
    """What the crate says otherwise than the headers do."""
    found = []
    crate = layout.read("\n".join(re.sub(r"^(struct .*)$", r"\1 -", line) for line in said.splitlines()))
    for name, struct in crate.structs.items():
        there = headers.structs.get(name)
        if there is None:
            found.append(f"{name}: the headers have no such struct")
            continue
        if (struct.size, struct.align) != (there.size, there.align):
            found.append(f"{name}: size {struct.size} align {struct.align}; the headers say {there.size} and {there.align}")
        mine = [(one.offset, one.name, c_type(one.type)) for one in struct.members]
        theirs = [(one.offset, one.name, in_one_spacing(one.type)) for one in there.members]
        found += [f"{name}: {a}; the headers say {b}" for a, b in zip(mine, theirs) if a != b]
        if len(mine) != len(theirs):
            found.append(f"{name}: {len(mine)} members; the headers have {len(theirs)}")
    for name, text in crate.constants.items():
        there = headers.constants.get(name)
        mine = text.strip('"') if text.startswith('"') else int(text)
        if there is None or value(headers, there) != mine:
            found.append(f"{name}: {mine}; the headers say {there}")
    return found


def measured(compiler: str, change=lambda text: text) -> layout.Layout:
    """The layout of the headers, after `change` of each."""
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder) / "tenon/abi"
        place.mkdir(parents=True)
        for header in HEADERS.glob("*.h"):
            (place / header.name).write_text(change(header.read_text()))
        return layout.measure(place, "tenon/abi/", compiler)


def said_by(cargo: str, crate: pathlib.Path, environment: dict) -> str:
    done = subprocess.run([cargo, "run", "--quiet", "--offline", "--example", "layout"], cwd=crate, env=environment,
                          capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)
    return re.sub(r",\s*\n\s*", ", ", done.stdout)  # long types are broken by some compilers
