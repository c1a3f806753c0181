# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Rules about documents: what they point to exists."""

import posixpath
import re
from typing import Iterator

from tree import Complaint, Tree

LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
HEADING = re.compile(r"^#+\s+(.*?)\s*#*$")
FENCE = re.compile(r"^\s*(```|~~~)")
# A path in backticks that claims to be a file of the repository.
NAMED_FILE = re.compile(r"`((?:kernel|sdk|plugins|cli|tests|tools|docs|cmake)/[\w./-]+\.\w+)`")


def prose(tree: Tree, path: str) -> Iterator[tuple[int, str]]:
    """Numbered lines outside of code blocks."""
    fenced = False
    for number, line in enumerate(tree.lines(path), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchor(heading: str) -> str:
    """The anchor that a heading gets on the usual forges."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(tree: Tree, path: str) -> set[str]:
    found = (HEADING.match(line) for _, line in prose(tree, path))
    return {anchor(heading.group(1)) for heading in found if heading}


def links(tree: Tree) -> Iterator[Complaint]:
    """relative links and named files of a document exist"""
    for path in tree.paths("*.md"):
        folder = posixpath.dirname(path)
        for number, line in prose(tree, path):
            for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, fragment = target.partition("#")
                file = posixpath.normpath(posixpath.join(folder, name)) if name else path
                if not tree.exists(file):
                    yield Complaint(path, number, f"links to {target}, which does not exist")
                elif fragment and file.endswith(".md") and fragment not in anchors(tree, file):
                    yield Complaint(path, number, f"links to {target}, and {file} has no such heading")
            for file in NAMED_FILE.findall(line):
                if not tree.exists(file) and not tree.exists(posixpath.join(folder, file)):
                    yield Complaint(path, number, f"names {file}, which does not exist")


INDEX = "docs/README.md"


def index(tree: Tree) -> Iterator[Complaint]:
    """docs/README.md lists every page of docs/"""
    pages = [path for path in tree.paths("*.md", under=("docs/",)) if path != INDEX]
    listed = {posixpath.normpath(f"docs/{target}") for target in LINK.findall(tree.text(INDEX) or "")}
    for path in pages:
        if path not in listed:
            yield Complaint(path, 0, f"is not listed in {INDEX}")


HOW_TO_ADD = "docs/how-to-add.md"
STEP = re.compile(r"^\| `([^`]+)` \| `([^`]+)` \| .+ \|$")
COUNTS = ("", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve", "Thirteen",
          "Fourteen", "Fifteen")


def how_to_add(tree: Tree) -> Iterator[Complaint]:
    """docs/how-to-add.md: each file is there and has the words that are named, and each table is counted below it"""
    if not tree.exists(HOW_TO_ADD):
        return
    steps = 0
    for number, line in enumerate(tree.lines(HOW_TO_ADD), 1):
        if step := STEP.match(line):
            steps += 1
            file, words = step.groups()
            if not tree.exists(file):
                yield Complaint(HOW_TO_ADD, number, f"names {file}, which does not exist")
            elif words not in (tree.text(file) or ""):
                yield Complaint(HOW_TO_ADD, number, f"{file} does not have `{words}`")
        elif steps and line and not line.startswith("|"):
            if re.match(r"\w+", line)[0] != COUNTS[steps]:
                yield Complaint(HOW_TO_ADD, number, f"the table above has {steps} files; begin with {COUNTS[steps]}")
            steps = 0


DIFFERENCES = "docs/differences.md"
ITEMS = (19, 22, 22)  # of each list that the page answers, the number of its items
ROW = re.compile(r"^\|\s*(\d+)\s*\|(.*)\|\s*(?:`(\w+)\.(\w+)`|—)\s*\|$")
TEST = re.compile(r"\b(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\s*\)")


def differences(tree: Tree) -> Iterator[Complaint]:
    """docs/differences.md answers every item, and the tests that it names exist"""
    if not tree.exists(DIFFERENCES):
        return
    tests = {found for path in tree.paths("*.cpp", under=("tests/", "plugins/")) for found in TEST.findall(tree.text(path) or "")}
    section, answered = 0, [[] for _ in ITEMS]
    for number, line in prose(tree, DIFFERENCES):
        section += line.startswith("## ")
        row = ROW.match(line)
        if not row or not section:
            continue
        item, text, suite, name = row.groups()
        answered[section - 1].append(int(item))
        if suite and (suite, name) not in tests:
            yield Complaint(DIFFERENCES, number, f"names the test {suite}.{name}, which does not exist")
        if not suite and "*not built*" not in text:
            yield Complaint(DIFFERENCES, number, "names no test, and does not say that it is not built")
    for at, (items, wanted) in enumerate(zip(answered, ITEMS), 1):
        if items != list(range(1, wanted + 1)):
            yield Complaint(DIFFERENCES, 0, f"section {at} must have the items 1 to {wanted} in order, and has {items}")


PHASES, BUDGETS = "tools/test", "HACKING.md"
MOST_MINUTES = (15, 45)  # of all phases of the gate together: warm, cold
GATE = re.compile(r"^gate_phases=\(([^)]*)\)", re.MULTILINE)
PHASE = re.compile(r'\[([\w-]+)\]="(\d+) (\d+)"')
BUDGET = re.compile(r"^\|\s*`?([\w-]+)`?\s*\|\s*(\d+)\s*\|\s*(\d+)\s*\|$")


def budgets(tree: Tree) -> Iterator[Complaint]:
    """HACKING.md has the minutes of each phase as tools/test has them, and the gate's are few enough in all"""
    if not tree.exists(PHASES):
        return
    text = tree.text(PHASES) or ""
    wanted = {phase: (int(warm), int(cold)) for phase, warm, cold in PHASE.findall(text)}
    gate = GATE.search(text)
    phases = gate[1].split() if gate else []
    for phase in phases:
        if phase not in wanted:
            yield Complaint(PHASES, 0, f"has no minutes for {phase}, a phase of the gate")
    sums = tuple(sum(wanted[phase][column] for phase in phases if phase in wanted) for column in (0, 1))
    if sums[0] > MOST_MINUTES[0] or sums[1] > MOST_MINUTES[1]:
        yield Complaint(PHASES, 0, f"the gate may take {sums} minutes, warm and cold; the limit is {MOST_MINUTES}")
    wanted["gate"] = sums
    found = {}
    for number, line in prose(tree, BUDGETS):
        if row := BUDGET.match(line):
            found[row[1]] = (int(row[2]), int(row[3]))
            if found[row[1]] != wanted.get(row[1]):
                yield Complaint(BUDGETS, number, f"has other minutes for {row[1]} than {PHASES}: {wanted.get(row[1])}")
    for phase in wanted.keys() - found.keys():
        yield Complaint(BUDGETS, 0, f"has no minutes for {phase}")


RULES = [links, index, how_to_add, differences, budgets]
