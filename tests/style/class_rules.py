# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Rules about the classes of the kernel: how many functions one shows, and how many know one another in a circle."""

import re
from typing import Iterator, NamedTuple

from code_rules import KERNEL, ROOT_OF_ROOMS, without_comments
from tree import Complaint, Tree

MAX_PUBLIC_FUNCTIONS = 40
MAX_IN_A_CIRCLE = 8

A_CLASS = re.compile(r"\b(class|struct)\s+(?:alignas\([^)]*\)\s*)?(\w+)(?:\s+final)?\s*(?::[^:{;][^{;]*)?$")
AN_ACCESS = re.compile(r"^\s*(public|protected|private)\s*:")
NO_FUNCTION = re.compile(r"^\s*(?:friend|using|typedef|static_assert|enum|class|struct|union)\b")
A_FUNCTION = re.compile(r"\b(?:operator\s*\S+?|\w+)\s*\(")


class ShownClass(NamedTuple):
    name: str
    line: int
    functions: list[str]


class OpenScope:
    """What a brace opened: a class, or anything else, in which nothing is looked at but classes."""

    def __init__(self, declared: str, line: int):
        found = A_CLASS.search(declared)
        self.shown = ShownClass(found.group(2), line, []) if found else None
        self.public = bool(found) and found.group(1) == "struct"

    def declare(self, declared: str) -> None:
        if not self.shown or not self.public or NO_FUNCTION.match(declared):
            return
        before_value = declared if "operator" in declared else declared.split("=", 1)[0]
        if found := A_FUNCTION.search(re.sub(r"\[\[.*?\]\]|\balignas\s*\([^)]*\)", "", before_value)):
            self.shown.functions.append(found.group())

    def access(self, declared: str) -> str:
        """What is left of a declaration behind `public:` and the like, which hold from there on."""
        while self.shown and (found := AN_ACCESS.match(declared)):
            self.public = found.group(1) == "public"
            declared = declared[found.end():]
        return declared


def classes_of(lines: list[str]) -> Iterator[ShownClass]:
    """The classes that a header defines, with their public functions; overloads are several."""
    scopes, declared, depth = [], "", 0
    for number, line in enumerate(without_comments(lines), 1):
        if line.lstrip().startswith("#"):
            continue
        for letter in line + " ":
            depth += {"(": 1, ")": -1}.get(letter, 0)
            if letter not in "{};" or depth:
                declared += letter
                if letter == ":" and scopes:
                    declared = scopes[-1].access(declared)
                continue
            if letter != "}" and scopes:
                scopes[-1].declare(declared)
            if letter == "{":
                scopes.append(OpenScope(declared, number))
            elif letter == "}" and scopes and (shown := scopes.pop().shown):
                yield shown
            declared = ""


def wide_classes(tree: Tree) -> Iterator[Complaint]:
    """a class of the kernel shows at most 40 functions"""
    for path in tree.paths("*.hpp"):
        if not path.startswith(KERNEL):
            continue
        for shown in classes_of(tree.lines(path)):
            if (count := len(shown.functions)) > MAX_PUBLIC_FUNCTIONS:
                yield Complaint(path, shown.line, f"{shown.name} shows {count} functions, at most {MAX_PUBLIC_FUNCTIONS}; "
                                                  "divide it by what they are about")



A_TOLD_CLASS = re.compile(r"^struct (\w+)_access \{$(.*?)^\};$", re.S | re.M)
A_MEMBER = re.compile(r"^  (?:const )?(?:internal::)?(\w+) &\w+;", re.M)
A_PORT = re.compile(r"^class (\w+) final : public (\w+), \1_access", re.M)


def reached_from(name: str, told: dict[str, set[str]]) -> set[str]:
    found, left = set(), [name]
    while left:
        for other in told.get(left.pop(), set()) - found:
            found.add(other)
            left.append(other)
    return found


def circles(tree: Tree) -> Iterator[Complaint]:
    """no more than 8 classes of the kernel, by their structs NAME_access, know one another in a circle"""
    told, ports, where = {}, {}, {}
    for path in tree.paths("*.hpp", under=(ROOT_OF_ROOMS,)):
        text = "\n".join(tree.lines(path))
        ports |= {port: name for name, port in A_PORT.findall(text)}
        for name, members in A_TOLD_CLASS.findall(text):
            told[name], where[name] = set(A_MEMBER.findall(members)), path
    told = {name: {ports.get(other, other) for other in others} for name, others in told.items()}
    reached = {name: reached_from(name, told) for name in told}
    shown = set()
    for name in sorted(told):
        circle = {other for other in reached[name] if name in reached.get(other, set())}
        if len(circle) > MAX_IN_A_CIRCLE and name not in shown:
            yield Complaint(where[name], 0, f"{len(circle)} classes know one another in a circle, at most {MAX_IN_A_CIRCLE} may: {', '.join(sorted(circle))}")
        shown |= circle


NOTIFIED = "tests/style/notified.yaml"
MAX_NOTIFIED = 30
NOTIFYING_ROOMS = tuple(f"{ROOT_OF_ROOMS}{room}/" for room in ("rules", "lifecycle", "commands", "cycle"))
# Of each part that follows changes the functions that tell it of something; what is asked of it is none of these.
A_NOTIFICATION = re.compile(r"(?<![\w.>])(" + "|".join((
    r"keys\.(?:changed|restart|follow_decay|mark_stale|forget_periods)", r"ready\.(?:wake_\w+|let_go|hold|stop_waiting|queue_became\w+|forget)",
    r"reserved\.(?:refresh|wake\w*)", r"alarms\.(?!kind_for)\w+", r"kept\.\w+", r"facts\.tell\w*", r"decisions\.emit", r"marks\.touch\w*",
    r"preemption\.(?:changed|forget)", r"checks\.forget\w*", r"quotas\.look\w*", r"(?:fair_maxima|priorities)\.(?:refresh\w*|total_changed)",
    r"gangs\.(?:changed|wake\w*|hold|let_go|leave_allocated|count_\w+|resized)", r"placeholder_timers\.(?:watch_left_over|arm|stop\w*)",
    r"limits\.(?:add_usage|enter|leave|count|attach|detach|refresh)")) + r")\(")


def notified(tree: Tree) -> Iterator[Complaint]:
    """parts of the kernel are told of nothing beside changes, but for what tests/style/notified.yaml names with a reason, at most 30"""
    if not tree.exists(NOTIFIED):
        return
    named = [line.split(":", 1)[0] for line in tree.lines(NOTIFIED) if line and not line.startswith("#")]
    if len(named) > MAX_NOTIFIED:
        yield Complaint(NOTIFIED, 0, f"names {len(named)} functions, at most {MAX_NOTIFIED}; have something follow from a change")
    used = set()
    for path in tree.paths("*.cpp", "*.hpp", under=NOTIFYING_ROOMS):
        for number, line in enumerate(without_comments(tree.lines(path)), 1):
            for call in A_NOTIFICATION.findall(line):
                used.add(call)
                if call not in named:
                    yield Complaint(path, number, f"calls {call}; apply a change from which that follows, or name the function in {NOTIFIED} with the reason")
    for number, line in enumerate(tree.lines(NOTIFIED), 1):
        name, _, reason = line.partition(": ")
        if not line.startswith("#") and (name not in used or not reason):
            yield Complaint(NOTIFIED, number, f"{name} has no reason" if name in used else f"{name} is called nowhere; leave it out")


RULES = [wide_classes, circles, notified]
