# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Changes of C++ source by which tests/mutate switches features off.

A change names a file, the function in which it is made, and a text that the function has once. Texts are compared word by
word, so that neither line breaks, indentation nor comments matter. The key of the text says what `replace` replaces:

  statement:  the innermost statement that has the text; without `replace` the statement is left out
  condition:  the condition of an `if` or a loop, which has the text; without `replace` the condition is false
  text:       the text itself; without `replace` the text is left out
"""

import re
from typing import Iterator, NamedTuple

WORD = re.compile(r"""[A-Za-z_]\w*|\d(?:[\w.]|'(?=\w))*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|\S""")
NO_CODE = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'""", re.S)
CLOSES = {"(": ")", "[": "]", "{": "}"}
HEAD = re.compile(r"(?:if(?:\s+constexpr)?|for|while|switch)\s*\(")
BARE_HEAD = re.compile(r"(?:else|do)\b")
ELSE = re.compile(r"\s*else\b")
BLANKS = re.compile(r"\s*")
LABEL = re.compile(r"(?:case\b[^;{}?]*?(?<!:):(?!:)|default\s*:)")
LAMBDA = re.compile(r"\][^;{}]*\{")
BEFORE_BODY = re.compile(r"(?:\s|\bconst\b|\bnoexcept\b|\boverride\b|\bfinal\b|->\s*[\w:<>*& ]+)*\{")
WAYS = {"statement": ";", "condition": "false", "text": ""}  # each with what replaces it unless the change says


class Unfit(Exception):
    """The source does not have what the change names; the text says what to do."""


class Statement(NamedTuple):
    start: int
    end: int
    condition: tuple[int, int]  # of an `if` or a loop; otherwise empty


def words(text: str) -> list[str]:
    """The words and signs of C++ code, without comments."""
    return WORD.findall(blanked(text, strings=False))


def blanked(text: str, strings: bool = True) -> str:
    """The code with blanks for comments, and on request for what stands in quotes; everything keeps its position."""
    def blank(found: re.Match) -> str:
        if found[0].startswith(("//", "/*")) or strings:
            return re.sub(r"[^\n]", " ", found[0])
        return found[0]
    return NO_CODE.sub(blank, text)


def pattern_of(text: str) -> re.Pattern[str]:
    """Matches the text with any blanks between its words."""
    out, before = "", ""
    for word in WORD.findall(text):
        if re.match(r"\w", word):
            out += r"\s+" if re.match(r"\w", before) else r"\s*(?<!\w)" if before else r"(?<!\w)"
            out += re.escape(word) + r"(?!\w)"
        else:
            out += (r"\s*" if before else "") + re.escape(word)
        before = word
    return re.compile(out)


def past(code: str, at: int) -> int:
    """The position behind the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(code)):
        if code[i] in CLOSES:
            depth += 1
        elif code[i] in CLOSES.values():
            depth -= 1
            if depth == 0:
                return i + 1
    return len(code)


def bodies(code: str, function: str) -> Iterator[tuple[int, int]]:
    """Where the bodies of functions of this name begin and end, in code without comments and strings.

    A function with several definitions is named with the begin of its parameters: `obey(const tenon::change_node`.
    """
    head = pattern_of(function if "(" in function else f"{function}(")
    for found in head.finditer(code):
        after = past(code, code.index("(", found.start()))
        is_call = code[:found.start()].rstrip().endswith((".", "->"))
        if not is_call and (before := BEFORE_BODY.match(code, after)):
            yield before.end() - 1, past(code, before.end() - 1)


def statements(code: str, at: int, end: int) -> Iterator[Statement]:
    """The statements between two positions, and those inside of them."""
    while at < end:
        if code[at].isspace() or code[at] in "{}":  # what stands in a block is a statement as well
            at += 1
        elif label := LABEL.match(code, at, end):
            at = label.end()
        elif head := HEAD.match(code, at, end):
            yield Statement(at, end_of_statement(code, at), (head.end(), past(code, head.end() - 1) - 1))
            at = past(code, head.end() - 1)
        elif head := BARE_HEAD.match(code, at, end):
            at = head.end()
        else:
            stop = end_of_statement(code, at)
            yield Statement(at, stop, (at, at))
            for opened in LAMBDA.finditer(code, at, stop):
                yield from statements(code, opened.end(), past(code, opened.end() - 1) - 1)
            at = stop


def end_of_statement(code: str, at: int) -> int:
    at = BLANKS.match(code, at).end()
    if head := HEAD.match(code, at):
        at = end_of_statement(code, past(code, head.end() - 1))
        other = ELSE.match(code, at)
        return end_of_statement(code, other.end()) if other and head[0].startswith("if") else at
    if head := BARE_HEAD.match(code, at):
        at = end_of_statement(code, head.end())
        return code.index(";", at) + 1 if head[0] == "do" else at
    if code[at] == "{":
        return past(code, at)
    while at < len(code) and code[at] != ";":
        at = past(code, at) if code[at] in CLOSES else at + 1
    return at + 1


def places(text: str, function: str, wanted: str) -> list[tuple[int, int]]:
    """Where functions of this name have the wanted text."""
    bare = blanked(text, strings=False)
    pattern = pattern_of(wanted)
    return sorted({found.span() for start, end in bodies(blanked(text), function) for found in pattern.finditer(bare, start, end)})


def changed(text: str, change: dict) -> str:
    """The source with the change. Raises Unfit if the change does not fit the source."""
    way = next(way for way in WAYS if way in change)
    wanted, function = change[way], change["in"]
    code = blanked(text)
    if not any(bodies(code, function)):
        raise Unfit(f"has no function `{function}`; set `in` to the function that does this now")
    found = places(text, function, wanted)
    if len(found) != 1:
        times = f"{len(found)} times" if found else "nowhere"
        raise Unfit(f"has `{wanted}` {times} in `{function}`; set `{way}` to a text that the function has once")
    start, end = found[0]
    if way != "text":
        spans = [(s.start, s.end) if way == "statement" else s.condition
                 for body in bodies(code, function) for s in statements(code, *body)]
        around = [span for span in spans if span[0] <= start and end <= span[1]]
        if not around:
            raise Unfit(f"has `{wanted}` in `{function}`, but in no {way}; write the change with another key")
        start, end = min(around, key=lambda span: span[1] - span[0])
    return text[:start] + change.get("replace", WAYS[way]) + text[end:]


def problem_with(change: object) -> str:
    """What is wrong with the form of a change; empty if nothing is."""
    keys = set(change) if isinstance(change, dict) else set()
    ways = keys & WAYS.keys()
    if len(ways) == 1 and {"file", "in"} <= keys <= ways | {"file", "in", "replace"}:
        return ""
    return f"a change has the keys file, in, one of {', '.join(WAYS)}, and perhaps replace; this one has {', '.join(sorted(keys)) or 'none'}"
