#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Compares the layout of every ABI struct with a committed text, so that nothing but an append gets through.

The text has one line for each struct (size, alignment, header), each member (offset, name, type; slots of a
table are members) and each constant. It must equal the headers. `--update` writes it anew, and refuses to
where the difference is more than an append; the kinds that are still drafts may change with TENON_DRAFT_REV.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import NamedTuple

DRAFT_REV = "TENON_DRAFT_REV"
# Lengths of lists and revisions of drafts are no part of a layout.
FREE_CONSTANTS = {DRAFT_REV}


class Member(NamedTuple):
    offset: int
    name: str
    type: str


class Struct(NamedTuple):
    name: str
    size: int
    align: int
    header: str
    members: tuple[Member, ...]


class Layout(NamedTuple):
    structs: dict[str, Struct]
    constants: dict[str, str]


class Declared(NamedTuple):
    struct: str
    header: str
    members: tuple[tuple[str, str], ...]  # name, type as written


def code_of(header: pathlib.Path) -> str:
    """The header without comments, in one spacing."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", header.read_text(), flags=re.S)
    return text.replace("\\\n", " ")


def member_of(declaration: str) -> tuple[str, str]:
    """(name, type) of one declaration; the type of a slot is its signature."""
    text = " ".join(declaration.split())
    if slot := re.fullmatch(r"(.+?)\(\*(\w+)\)\((.*)\)", text):
        return slot.group(2), f"{slot.group(1).strip()} (*)({slot.group(3)})"
    if plain := re.fullmatch(r"(.+?)(\w+)((?:\[\w+\])*)", text):
        return plain.group(2), plain.group(1).strip() + plain.group(3)
    raise ValueError(f"cannot read the member '{text}'")


def declared_in(header: pathlib.Path) -> tuple[list[Declared], dict[str, str]]:
    code = code_of(header)
    structs = []
    for found in re.finditer(r"typedef struct (\w+) \{(.*?)\}\s*(\w+);", code, flags=re.S):
        members = tuple(member_of(part) for part in found.group(2).split(";") if part.strip())
        structs.append(Declared(found.group(1), header.name, members))
    constants = {
        name: " ".join(value.split())
        for name, value in re.findall(r"^#define (TENON_\w+)[ \t]+(.+)$", code, flags=re.M)
        if not value.startswith("__attribute__")
    }
    constants |= {name: f"typedef {kind}" for kind, name in re.findall(r"^typedef (\w+) (tenon_\w+);$", code, flags=re.M)}
    return structs, constants


def measure(headers: pathlib.Path, include: str, compiler: str) -> Layout:
    """The layout as the compiler sees it. Sources say `#include "<include>/x.h"` below `headers`' root."""
    declared: list[Declared] = []
    constants: dict[str, str] = {}
    names = sorted(path for path in headers.glob("*.h"))
    for path in names:
        structs, defined = declared_in(path)
        declared += structs
        constants |= defined
    lines = ["#include <stddef.h>", "#include <stdio.h>", *(f'#include "{include}{path.name}"' for path in names)]
    lines.append("int main(void) {")
    for struct in declared:
        kind = struct.struct
        lines.append(f'  printf("%zu %zu\\n", sizeof({kind}), _Alignof({kind}));')
        for name, _ in struct.members:
            size = f"sizeof((({kind} *)0)->{name})"
            lines.append(f'  printf("%zu %zu\\n", offsetof({kind}, {name}), {size});')
    lines += ["  return 0;", "}", ""]
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "layout"
        program.with_suffix(".c").write_text("\n".join(lines))
        root = headers if not include else headers.parents[include.count("/") - 1]
        subprocess.run([compiler, "-std=c11", "-I", root, "-o", program, program.with_suffix(".c")], check=True)
        printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    numbers = iter(tuple(map(int, line.split())) for line in printed.splitlines())
    structs = {}
    for struct in declared:
        size, align = next(numbers)
        members, end = [], 0
        for name, kind in struct.members:
            offset, length = next(numbers)
            if offset != end:
                raise SystemExit(f"layout: {struct.struct}.{name}: {offset - end} bytes of padding without a name")
            members.append(Member(offset, name, kind))
            end = offset + length
        if end != size:
            raise SystemExit(f"layout: {struct.struct}: {size - end} bytes of padding at the end without a name")
        structs[struct.struct] = Struct(struct.struct, size, align, struct.header, tuple(members))
    return Layout(structs, constants)


def written(layout: Layout) -> str:
    lines = []
    for struct in sorted(layout.structs.values(), key=lambda s: (s.header, s.name)):
        lines.append(f"struct {struct.name} size {struct.size} align {struct.align} {struct.header}")
        lines += [f"  {member.offset} {member.name}: {member.type}" for member in struct.members]
    lines += [f"constant {name} {value}" for name, value in sorted(layout.constants.items())]
    return "\n".join(lines) + "\n"


def read(text: str) -> Layout:
    structs: dict[str, Struct] = {}
    constants = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("struct "):
            _, name, _, size, _, align, header = line.split()
            structs[name] = Struct(name, int(size), int(align), header, ())
        elif line.startswith("constant "):
            _, constant, value = line.split(" ", 2)
            constants[constant] = value
        else:
            place, kind = line.split(": ", 1)
            offset, member = place.split()
            added = Member(int(offset), member, kind)
            structs[name] = structs[name]._replace(members=(*structs[name].members, added))
    return Layout(structs, constants)


def breaks(old: Layout, new: Layout, drafts: set[str]) -> list[str]:
    """What is more than an append, one sentence each. `drafts` are headers whose structs may change freely
    once the draft revision rises."""
    freed = drafts if old.constants.get(DRAFT_REV) != new.constants.get(DRAFT_REV) else set()
    found = []
    for name, was in old.structs.items():
        now = new.structs.get(name)
        if was.header in freed:
            continue
        if now is None:
            found.append(f"{name} is gone")
            continue
        if now.align != was.align:
            found.append(f"{name}: alignment {was.align} became {now.align}")
        for index, member in enumerate(was.members):
            if index >= len(now.members):
                found.append(f"{name}.{member.name} is gone")
            elif now.members[index] != member:
                other = now.members[index]
                found.append(f"{name}: '{member.type} {member.name}' at {member.offset} became "
                             f"'{other.type} {other.name}' at {other.offset}")
        if len(now.members) > len(was.members) and was.members[0].name != "size":
            found.append(f"{name} has no size field, so it must not grow")
    for name, value in old.constants.items():
        if name not in FREE_CONSTANTS and new.constants.get(name) != value:
            found.append(f"{name}: {value} became {new.constants.get(name, 'nothing')}")
    return found


def drafts_in(headers: pathlib.Path) -> set[str]:
    return {path.name for path in headers.glob("*.h") if "DRAFT: loads only" in path.read_text()}


def check(headers: pathlib.Path, include: str, golden: pathlib.Path, compiler: str, update: bool) -> int:
    new = measure(headers, include, compiler)
    text = written(new)
    known = golden.read_text() if golden.exists() else ""
    if text == known:
        print(f"layout: {len(new.structs)} structs and {len(new.constants)} constants are as {golden.name} says")
        return 0
    found = breaks(read(known), new, drafts_in(headers))
    for sentence in found:
        print(f"layout: {sentence}")
    if found:
        print("layout: this breaks built modules; append instead, or make a new interface id (COMPATIBILITY.md)")
        return 1
    if update:
        golden.write_text(text)
        print(f"layout: {golden} written")
        return 0
    print(f"layout: {golden} is not up to date; the change is an append, so: {sys.argv[0]} --update")
    return 1


def main() -> int:
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--headers", type=pathlib.Path, default=here.parents[1] / "sdk/include/tenon/abi")
    parser.add_argument("--include", default="tenon/abi/", help="how a source names their folder")
    parser.add_argument("--golden", type=pathlib.Path, default=here / "layout.txt")
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--update", action="store_true", help="write the text anew, if the change is an append")
    arguments = parser.parse_args()
    return check(arguments.headers.resolve(), arguments.include, arguments.golden, arguments.compiler,
                 arguments.update)


if __name__ == "__main__":
    sys.exit(main())
