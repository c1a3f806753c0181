#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Writes docs/kinds: a page for each kind of module, made from the C headers and what stands beside them.

Without --update it only compares.
"""

import argparse
import pathlib
import re
import sys
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = ROOT / "sdk/include/tenon/abi"
PAGES = ROOT / "docs/kinds"


class Kind(NamedTuple):
    name: str
    headers: tuple[str, ...]  # the kind's own first
    columns: str  # begin of the lines in columns.h that list its columns; empty: it reads none
    named: str  # where a configuration names it
    cpp: str  # header of the C++ SDK
    rust: str = ""  # file of the crate


KINDS = (
    Kind("queue-sort", ("queue_sort.h", "sort.h"), "queue-sort,", "property `queue.sort.policy` of the parent queue",
         "sort_policy.hpp", "sort.rs"),
    Kind("app-sort", ("app_sort.h", "sort.h"), "app-sort,", "property `application.sort.policy` of the leaf queue",
         "sort_policy.hpp", "sort.rs"),
    Kind("node-sort", ("node_sort.h", "sort.h"), "node-sort and predicate,", "`nodesortpolicy.type` of the partition",
         "sort_policy.hpp", "sort.rs"),
    Kind("predicate", ("predicate.h",), "node-sort and predicate,", "`predicates` of the deployment; all must pass",
         "predicate_policy.hpp", "predicate.rs"),
    Kind("placement-rule", ("placement_rule.h",), "", "`placementrules` of the partition", "placement_rule.hpp",
         "placement_rule.rs"),
    Kind("identity", ("identity.h",), "", "`usergroupresolver.type` of the partition", "identity.hpp",
         "identity.rs"),
    Kind("event-sink", ("event_sink.h",), "", "`events` of the deployment", "event_sink.hpp"),
    Kind("transport", ("transport.h", "host_rm.h"), "", "`transports` of the deployment", "transport.hpp"),
)
MADE = ("queue-sort", "app-sort", "node-sort", "predicate", "placement-rule", "identity", "event-sink", "transport")  # by tenon plugin new


def sentence(comment: str) -> str:
    """The text of a C comment, on one line."""
    text = re.sub(r"^\s*/\*+|\*+/\s*$", "", comment.strip())
    return " ".join(re.sub(r"^\s*\* ?", "", line).strip() for line in text.splitlines()).strip()


def paragraphs(comment: str) -> list[str]:
    text = re.sub(r"^\s*/\*+ ?|\*+/\s*$", "", comment.strip())
    lines = [re.sub(r"^\s*\* ?", "", line) for line in text.splitlines()]
    joined = "\n".join(lines).replace("Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0", "")
    parts = [part for part in re.split(r"\n[ \t]*\n", joined) if part.strip()]
    return [drawing(part) if all(line.startswith("  ") for line in part.strip("\n").splitlines()) else wrapped(part)
            for part in parts]


def drawing(part: str) -> str:
    lines = [line.rstrip()[2:] for line in part.strip("\n").splitlines()]
    return "\n".join(["```text", *lines, "```"])


def wrapped(text: str, width: int = 120) -> str:
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, line])


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "\\<")


class Struct(NamedTuple):
    name: str
    comment: str
    members: list[tuple[str, str, str]]  # name, declaration, comment


def structs_of(text: str) -> list[Struct]:
    out = []
    for found in re.finditer(r"(?:^(/\*(?:(?!\*/).)*\*/)\n)?^typedef struct (\w+) \{\n(.*?)\n\} \w+;", text,
                             flags=re.S | re.M):
        members = []
        pattern = r"(?P<before>/\*(?:(?!\*/).)*\*/\s*)?(?P<what>[^;/*]*(?:\([^;]*\))?[^;/]*?);[ \t]*(?P<after>/\*(?:(?!\*/).)*\*/)?"
        for member in re.finditer(pattern, found[3], flags=re.S):
            what = " ".join(member["what"].split())
            slot = re.search(r"\(\*(\w+)\)", what)
            name = slot[1] if slot else re.search(r"(\w+)(?:\[\w+\])?$", what)[1]
            members.append((name, what, sentence(member["before"] or member["after"] or "")))
        out.append(Struct(found[2], sentence(found[1] or ""), members))
    return out


def constants_of(text: str) -> list[tuple[str, str, str]]:
    """Name, value and comment of each number that is defined."""
    pattern = r"(?:^/\*(?P<before>(?:(?!\*/).)*)\*/\n)?^#define (?P<name>TENON_\w+) (?P<value>[\w]+)(?:[ \t]*/\*(?P<after>(?:(?!\*/).)*)\*/)?"
    return [(one["name"], one["value"], " ".join(re.sub(r"^\s*\*", "", one["after"] or one["before"] or "", flags=re.M).split()))
            for one in re.finditer(pattern, text, flags=re.S | re.M)]


def columns_of(kind: Kind) -> list[str]:
    """The lines of columns.h about this kind's columns, as written."""
    text = (HEADERS / "columns.h").read_text()
    listed = re.search(r"/\* Column ids of epoch 1.*?\*/", text, flags=re.S)[0]
    lines = [re.sub(r"^ \* ?", "", line).rstrip(" */") for line in listed.splitlines()[1:]]
    out, inside = [], False
    for line in lines:
        if line and not line.startswith(" "):
            heads = line.split(",")[0].replace(":", "").replace(" and ", ",").split(",")
            inside = kind.name in [head.strip() for head in heads]
        elif inside and line.strip():
            out.append(line[2:] if line.startswith("  ") else line)
    return out


def page(kind: Kind) -> str:
    own = (HEADERS / kind.headers[0]).read_text()
    interface = re.search(r'"(tenon\.[a-z-]+/\d+)"', own)[1]
    draft = "DRAFT:" in own
    out = [f"# {kind.name}\n"]
    links = ", ".join(f"[{name}](../../sdk/include/tenon/abi/{name})" for name in kind.headers)
    made = f" `tenon plugin new acme-mine --kind {kind.name}` makes a project." if kind.name in MADE else ""
    rust = f"; Rust: [{kind.rust}](../../sdk/rust/tenon-sdk/src/{kind.rust})" if kind.rust else ""
    out.append(wrapped(f"Interface `{interface}`, {'a draft: it may still change' if draft else 'stable'}. Named in "
                       f"{kind.named}. C: {links}; C++: [{kind.cpp}](../../sdk/include/tenon/sdk/{kind.cpp}){rust}.{made}") + "\n")
    for header in kind.headers:
        comment = re.match(r"/\*.*?\*/", (HEADERS / header).read_text(), flags=re.S)[0]
        out += [text + "\n" for text in paragraphs(comment)]
    numbers = [n for header in reversed(kind.headers) for n in constants_of((HEADERS / header).read_text())]
    tables = [s for header in reversed(kind.headers) for s in structs_of((HEADERS / header).read_text())]
    slots = [(s, m) for s in tables for m in s.members if "(*" in m[1]]
    out.append("## Slots\n\n| slot | of | thread | what it does |\n|---|---|---|---|")
    for struct, (name, what, comment) in slots:
        thread = re.search(r"\[(\w+)\]", comment)
        said = re.sub(r"\s*\[\w+\]\.?$", "", comment)
        out.append(f"| `{name}` | `{struct.name}` | {thread[1] if thread else ''} | {cell(said)} |")
    out.append("\n## What crosses\n")
    for struct in tables:
        plain = [m for m in struct.members if "(*" not in m[1]]
        if len(plain) < 3 or any("(*" in m[1] for m in struct.members):
            continue
        out.append(f"`{struct.name}`" + (f": {struct.comment}" if struct.comment else "") +
                   "\n\n| field | meaning |\n|---|---|")
        out += [f"| `{what}` | {cell(comment)} |" for name, what, comment in plain if not name.startswith("reserved")]
        out.append("")
    if numbers:
        out.append("## Constants\n\n| name | value | meaning |\n|---|---|---|")
        out += [f"| `{name}` | {value} | {cell(comment)} |" for name, value, comment in numbers]
        out.append("")
    if columns := columns_of(kind) if kind.columns else []:
        out.append("## Columns\n\nDeclared by their id; what is not declared cannot be read "
                   "([columns.h](../../sdk/include/tenon/abi/columns.h)).\n\n```text")
        out += columns
        out.append("```\n")
    out.append("## Proving it\n\n`tenon plugin verify` runs the checks of this kind: [conformance.md](../conformance.md).")
    return "\n".join(out) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="write the pages")
    arguments = parser.parse_args()
    wrong = 0
    PAGES.mkdir(exist_ok=True)
    for kind in KINDS:
        file = PAGES / f"{kind.name}.md"
        text = page(kind)
        if arguments.update:
            file.write_text(text)
        elif not file.exists() or file.read_text() != text:
            print(f"kinds: {file.relative_to(ROOT)} is not what the headers say: tests/abi/kind_pages.py --update")
            wrong = 1
    if not wrong:
        print(f"kinds: {len(KINDS)} pages are as the headers say")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
