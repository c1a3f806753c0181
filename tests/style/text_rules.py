# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Rules about the text of any file: length, licence, whitespace, places, marks of unfinished work."""

import re
from typing import Iterator

from tree import C_SOURCES, Complaint, Tree

SOURCES = (*C_SOURCES, "*.py", "*.rs", "*.go", "*.proto", "*.cmake", "CMakeLists.txt")
MAX_LINES = 1000
KERNEL = ("kernel/core/", "kernel/include/tenon/kernel/")
MAX_KERNEL_LINES = 400
MAX_ABI_LINES = 200
ABI = "sdk/include/tenon/abi/"
MAX_POLICY_LINES = 60
POLICY = re.compile(r"plugins/(?:sort-policies|predicates|placement-rules)/[^/]+/module\.c(?:pp)?")

LICENCE = "SPDX-License-Identifier: Apache-2.0"
# What `tenon plugin new` copies belongs to the vendor who asked for it.
VENDORS_OWN = ("sdk/templates/",)


def length(tree: Tree) -> Iterator[Complaint]:
    """a source can be read in one sitting: at most 1000 lines, one of the kernel 400, an ABI header 200, a policy 60"""
    limits = {ABI: MAX_ABI_LINES} | dict.fromkeys(KERNEL, MAX_KERNEL_LINES)
    for path in tree.paths(*SOURCES):
        of_folder = (most for folder, most in limits.items() if path.startswith(folder))
        limit = MAX_POLICY_LINES if POLICY.fullmatch(path) else next(of_folder, MAX_LINES)
        count = len(tree.lines(path))
        if count > limit:
            yield Complaint(path, 0, f"{count} lines, at most {limit}; divide it by what it is about")


def is_script(tree: Tree, path: str) -> bool:
    lines = tree.lines(path)
    return bool(lines) and lines[0].startswith("#!")


def licence(tree: Tree) -> Iterator[Complaint]:
    """each source names its licence in its first lines"""
    named = set(tree.paths(*C_SOURCES, "*.py", "*.rs", "*.go", "*.proto", "*.cmake"))
    scripts = {path for path in tree.paths() if is_script(tree, path)}
    for path in sorted(named | scripts):
        if path.startswith(VENDORS_OWN):
            continue
        if not any(LICENCE in line for line in tree.lines(path)[:8]):
            yield Complaint(path, 1, f"no licence; want in the first lines: Copyright The Tenon Authors. {LICENCE}")


def whitespace(tree: Tree) -> Iterator[Complaint]:
    """no trailing blanks, no carriage returns, one line end at the end of a file"""
    for path in tree.paths():
        text = tree.text(path)
        if not text or path == "LICENSE":
            continue
        for number, line in enumerate(tree.lines(path), 1):
            if line != line.rstrip():
                yield Complaint(path, number, "blanks at the end of the line")
        if not text.endswith("\n") or text.endswith("\n\n"):
            yield Complaint(path, 0, "want exactly one line end at the end of the file")


# Places of one machine: a stranger does not have them.
PLACE = re.compile(r"(?<![A-Za-z0-9_.$}>*])/(?:work|farm|root|home/\w+|Users/\w+|tmp/bash_jobs)(?=/|\b)")


def places(tree: Tree) -> Iterator[Complaint]:
    """no path of one machine"""
    for path in tree.paths():
        for number, line in enumerate(tree.lines(path), 1):
            if found := PLACE.search(line):
                yield Complaint(path, number, f"names a place of one machine: {found.group()}")


UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK|not (?:yet )?implem" r"ented)\b")


def unfinished(tree: Tree) -> Iterator[Complaint]:
    """no mark of unfinished work: finish it, or leave it out and say so"""
    for path in tree.paths(*SOURCES):
        for number, line in enumerate(tree.lines(path), 1):
            if found := UNFINISHED.search(line):
                yield Complaint(path, number, f"unfinished: {found.group()}")


RULES = [length, licence, whitespace, places, unfinished]
