# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Rules about C and C++: who may include whom, what a kernel must not call, files that nothing uses."""

import re
from typing import Iterator, NamedTuple

from tree import C_SOURCES, Complaint, Tree

KERNEL = ("kernel/core/", "kernel/include/tenon/kernel/")


class Arrow(NamedTuple):
    under: tuple[str, ...]
    may: tuple[str, ...]  # prefixes of includes; the standard library is always allowed
    why: str


# The first arrow whose folder holds a file is the file's.
ARROWS = [
    Arrow(("sdk/include/tenon/abi/",), ("tenon/abi/",), "an ABI header stands alone"),
    Arrow(("sdk/include/tenon/sdk/",), ("tenon/abi/", "tenon/sdk/"), "the SDK needs the ABI alone"),
    Arrow(("sdk/include/tenon/text/",), ("tenon/text/", "utf8.h"), "texts know nothing of a scheduler"),
    Arrow(
        KERNEL,
        ("tenon/kernel/", "tenon/abi/", "tenon/text/", "boost/", "re2/", "utf8.h"),
        "the kernel sees its own headers, the ABI, texts, Boost, RE2 and utf8cpp",
    ),
    Arrow(
        ("kernel/config/",),
        ("tenon/kernel/", "tenon/config/", "tenon/abi/", "tenon/text/", "boost/", "yaml-cpp/", "openssl/"),
        "configuration is parsed below the host",
    ),
    Arrow(
        ("kernel/builtin/", "tests/policy/"),
        ("tenon/kernel/", "tenon/abi/", "tenon/sdk/", "tenon/builtin/", "tenon/testing/", "gtest/"),
        "what links policies into a program stands between them and the kernel",
    ),
    Arrow(("plugins/identity/ldap/",), ("tenon/abi/", "tenon/sdk/", "ldap.h", "poll.h", "sys/"), "a plugin sees the SDK alone"),
    Arrow(("plugins/identity/",), ("tenon/abi/", "tenon/sdk/", "grp.h", "pwd.h"), "a plugin sees the SDK alone"),
    Arrow(
        ("plugins/transports/wire/",),
        ("tenon/abi/", "tenon/text/", "tenon/wire/", "google/protobuf/", "si/v1/", "tenon/si/", "tenon/v1/", "utf8.h"),
        "the wire's messages meet the ABI's here and nothing else",
    ),
    Arrow(("plugins/events/log/",), ("tenon/abi/", "tenon/sdk/", "spdlog/"), "a plugin sees the SDK alone"),
    Arrow(("plugins/events/shared/",), ("tenon/abi/", "tenon/sdk/"), "what several sinks include knows none of them"),
    Arrow(("plugins/events/sqlite/",), ("tenon/abi/", "tenon/sdk/", "tenon/sinks/", "sqlite3.h"), "a plugin sees the SDK alone"),
    Arrow(
        ("plugins/events/postgresql/",),
        ("tenon/abi/", "tenon/sdk/", "tenon/sinks/", "libpq-fe.h", "poll.h", "utf8.h"),
        "a plugin sees the SDK alone",
    ),
    Arrow(
        ("plugins/transports/grpc/http2/",),
        ("tenon/sdk/", "boost/asio/", "boost/system/", "nghttp2/", "openssl/", "zlib.h",
         "arpa/", "fcntl.h", "netdb.h", "netinet/", "pthread.h", "sys/", "unistd.h"),
        "connections know nothing of resource managers",
    ),
    Arrow(
        ("plugins/transports/grpc/",),
        ("tenon/abi/", "tenon/sdk/", "tenon/transports/", "tenon/wire/", "tenon/si/", "tenon/v1/", "si/v1/",
         "google/protobuf/", "http2/", "openssl/", "fcntl.h", "pthread.h", "sys/", "unistd.h"),
        "a plugin sees the SDK alone",
    ),
    Arrow(("plugins/transports/shared/",), ("tenon/abi/", "tenon/sdk/", "openssl/", "sys/"), "what several transports include knows none of them"),
    Arrow(
        ("plugins/transports/mqtt/",),
        ("tenon/abi/", "tenon/sdk/", "tenon/text/", "tenon/transports/", "tenon/wire/", "tenon/v1/", "mosquitto.h", "utf8.h"),
        "a plugin sees the SDK alone",
    ),
    Arrow(
        ("plugins/transports/rest/",),
        ("tenon/abi/", "tenon/sdk/", "tenon/text/", "tenon/transports/", "boost/", "openssl/", "prometheus/", "utf8.h", "yaml-cpp/",
         "zlib.h", "pthread.h", "sys/", "unistd.h"),
        "a plugin sees the SDK alone",
    ),
    Arrow(("plugins/transports/",), ("tenon/abi/", "tenon/sdk/", "boost/"), "a plugin sees the SDK alone"),
    Arrow(("plugins/",), ("tenon/abi/", "tenon/sdk/"), "a plugin sees the SDK alone"),
]
# Layers above those: whose headers of the project (tenon/NAME/) each includes.
UNDER_HOST = ("abi", "sdk", "text", "kernel", "config")
UNDER_OBSERVE = (*UNDER_HOST, "host", "events", "service")
LAYERS = {
    "kernel/host/": (*UNDER_HOST, "builtin", "host"),
    "kernel/events/": (*UNDER_HOST, "host", "events"),
    "kernel/service/": UNDER_OBSERVE,
    "kernel/json/": (*UNDER_OBSERVE, "json"),
    "kernel/observe/": (*UNDER_OBSERVE, "json", "observe"),
    "kernel/libtenon/": (*UNDER_OBSERVE, "json", "observe", "rm"),
    "sdk/conformance/": (*UNDER_HOST, "host", "conformance"),
    "cli/": (*UNDER_OBSERVE, "json", "observe", "conformance"),
}
# What no arrow and no layer would hold is refused here.
HELD = ("kernel/", "plugins/", "cli/", "sdk/include/tenon/abi/", "sdk/include/tenon/sdk/", "sdk/include/tenon/text/", "sdk/conformance/")

# Rooms of the kernel, and which others each includes. What they share lies beside them. Of that, what all rooms may
# include sees no more than they do.
ROOT_OF_ROOMS = "kernel/core/"
COMMON = {"partition.hpp", "core.hpp", "forward.hpp"}
SEEN_BY_COMMON = {"core.hpp": ("base", "journal", "outbound"), "forward.hpp": ()}
ABOVE_MODEL = ("base", "model", "policies", "ledger", "queueing", "rules", "outbound")
ROOMS = {
    "base": (),
    "model": ("base",),
    "policies": ("base", "model"),
    "ledger": ("base", "model", "outbound"),
    "queueing": ("base", "model", "policies", "ledger", "outbound"),
    "rules": ("base", "model", "policies", "ledger", "queueing", "outbound"),
    "lifecycle": ABOVE_MODEL,
    "commands": (*ABOVE_MODEL, "lifecycle", "cycle"),
    "cycle": ABOVE_MODEL,
    "snapshots": ("base", "model", "policies", "queueing", "rules", "outbound"),
    "explain": ("base", "model", "policies", "queueing", "rules", "outbound", "snapshots"),
    "outbound": ("base", "model"),
    "journal": (),
}
# Rooms that stand without what the others share.
WITHOUT_COMMON = ("base", "model", "policies", "journal")
# Rooms whose classes are told what they read and what they change, and never the partition.
WITHOUT_PARTITION = ("ledger", "queueing", "rules", "lifecycle", "commands", "cycle", "outbound")

# Rooms of the command line, each above those that it includes. What puts several together stands beside them.
ROOMS_OF_CLI = {
    "run": (),
    "control": (),
    "load": (),
    "config": ("run",),
    "plugin": ("run",),
    "trace": ("load",),
    "simulate": ("load", "run"),
    "report": ("run", "simulate"),
    "diff": ("load", "report", "run", "simulate"),
    "shadow": ("diff", "plugin", "run", "simulate"),
    "tune": ("diff", "report", "run", "simulate"),
    "whatif": ("run",),
    "ctl": ("control", "plugin", "run", "whatif"),
    "serve": ("control", "plugin", "run", "simulate", "whatif"),
    "scenario": ("run", "serve"),
}
# Rooms of the host, each above those that it includes.
ROOT_OF_HOST = "kernel/host/"
WRITTEN = ("base", "schema", "manifest", "deployment")  # what people write, read
ROOMS_OF_HOST = {
    "base": (),
    "schema": (),
    "manifest": ("base", "schema"),
    "deployment": ("base", "schema", "manifest"),
    "calls": ("base",),
    "services": ("base", "calls"),
    "library": ("base", "schema", "manifest"),
    "preflight": ("base", "library"),
    "isolation": (*WRITTEN, "services", "library"),
    "runner": ("base", "calls", "library", "isolation"),
    "flight": (*WRITTEN, "calls", "services", "library", "isolation"),
    "containment": ("base", "calls", "flight"),
    "guards": (*WRITTEN, "calls", "services", "library", "isolation"),
    "shadow": (*WRITTEN, "guards"),
    "loading": (*WRITTEN, "calls", "services", "library", "preflight", "isolation", "flight", "containment", "guards", "shadow"),
}
# Its public headers lie together, each of one room.
PUBLIC_OF_HOST = "tenon/host/"
ROOM_OF_HEADER = {
    "base": ("process_state", "text_file"),
    "schema": ("expression", "module_configuration"),
    "manifest": ("module_catalog", "module_lock", "module_manifest"),
    "deployment": ("call_shadow", "deployment", "running_limits"),
    "calls": ("thread_role",),
    "services": ("offered_service",),
    "library": ("library_file", "library_lint", "verified_library"),
    "preflight": ("preflight",),
    "isolation": ("process_usage",),
    "flight": ("flight_record", "journal_tail"),
    "containment": ("long_call", "module_fault_record", "unasked_end"),
    "guards": ("io_module", "module_watch", "reader_question"),
    "loading": ("identity_resolver", "module_host", "replaced_policies", "swap_to"),
}
PUBLIC_ROOMS = {f"{name}.hpp": room for room, names in ROOM_OF_HEADER.items() for name in names}
HOUSES = {ROOT_OF_ROOMS: ROOMS, "cli/src/": ROOMS_OF_CLI, ROOT_OF_HOST: ROOMS_OF_HOST}

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)')
FREESTANDING = {"stddef.h", "stdint.h", "limits.h"}
# Where C may include us: the C library's headers by their C names.
SPOKEN_BY_C = ("sdk/include/tenon/sdk/", "plugins/")
C_LIBRARY = {"string.h", "stdlib.h", "math.h", "float.h", "assert.h", "inttypes.h", "stdbool.h", "errno.h"}


def includes_of(tree: Tree, path: str) -> Iterator[tuple[int, str, bool]]:
    """(line, name, quoted) of every include."""
    for number, line in enumerate(tree.lines(path), 1):
        if found := INCLUDE.match(line):
            yield number, found.group(1) or found.group(2), found.group(1) is not None


def in_house(tree: Tree, house: str, name: str) -> str | None:
    """The file of the house that an include names, from the house's root; None: it is of no room."""
    if house == ROOT_OF_HOST and name.startswith(PUBLIC_OF_HOST):
        name = f"include/{name}"
    return name if tree.exists(house + name) else None


def room_of(file: str) -> str:
    """The room of a file, which is named from the root of its house."""
    folder, _, name = file.rpartition("/")
    return PUBLIC_ROOMS.get(name, "") if folder == f"include/{PUBLIC_OF_HOST}".rstrip("/") else folder


def is_beside(tree: Tree, path: str, name: str) -> bool:
    """`name` is a file of the folder of `path`, or below it."""
    return tree.exists(f"{path.rpartition('/')[0]}/{name}")


def arrows(tree: Tree) -> Iterator[Complaint]:
    """includes follow the arrows: sdk/abi, kernel, kernel/host, cli; a plugin includes the SDK alone"""
    for path in tree.paths(*C_SOURCES):
        if path.endswith(("_test.cpp", "_test.c")):
            continue
        arrow = next((a for a in ARROWS if path.startswith(a.under)), None)
        c_headers = FREESTANDING | (C_LIBRARY if path.startswith(SPOKEN_BY_C) else set())
        layer = next((folder for folder in LAYERS if path.startswith(folder)), None)
        if path.startswith(HELD) and not arrow and not layer:
            yield Complaint(path, 0, "no arrow and no layer says what it may include")
        house = next((root for root in HOUSES if path.startswith(root)), None)
        for number, name, quoted in includes_of(tree, path):
            if quoted and house and (file := in_house(tree, house, name)):
                yield from between_rooms(house, path, number, file)
                continue
            if quoted and ".." not in name and is_beside(tree, path, name):
                continue
            standard = not quoted and "/" not in name and (not name.endswith(".h") or name in c_headers)
            if arrow and not standard and not name.startswith(arrow.may):
                yield Complaint(path, number, f"includes {name}; {arrow.why}")
            if layer and name.startswith("tenon/") and name.split("/")[1] not in LAYERS[layer]:
                yield Complaint(path, number, f"includes {name}; {layer} may include {', '.join(LAYERS[layer])}")


def between_rooms(house: str, path: str, number: int, name: str) -> Iterator[Complaint]:
    """Of an include of one file of a house by another."""
    rooms = HOUSES[house]
    file = path.removeprefix(house)
    room = room_of(file)
    other = room_of(name)
    if house == ROOT_OF_ROOMS and file in SEEN_BY_COMMON:
        if other not in (may := SEEN_BY_COMMON[file]):
            yield Complaint(path, number, f"includes {name}; all rooms see it, so it may include {', '.join(may)}")
        return
    if room not in rooms or other == room:
        return
    if house == ROOT_OF_ROOMS and name in COMMON:
        if room in WITHOUT_COMMON or (room in WITHOUT_PARTITION and name == "partition.hpp"):
            yield Complaint(path, number, f"includes {name}; the room {room} stands without it")
    elif other not in rooms[room]:
        may = ", ".join(rooms[room]) or "no other"
        yield Complaint(path, number, f"includes {name}; the room {room} may include {may} (tests/style/code_rules.py has the map)")


def rooms_reach(tree: Tree) -> Iterator[Complaint]:
    """what a file of a room reaches through headers lies in rooms that it may include; no two rooms need each other"""
    for house, rooms in HOUSES.items():
        if circle := circle_of(rooms):
            yield Complaint("tests/style/code_rules.py", 0, f"rooms of {house} include in a circle: {' -> '.join(circle)}")
        inside = {
            path: [house + file for _, name, quoted in includes_of(tree, path) if quoted and (file := in_house(tree, house, name))]
            for path in tree.paths(*C_SOURCES, under=(house,))
        }
        for path in inside:
            room = room_of(path.removeprefix(house))
            if room not in rooms:
                if house == ROOT_OF_HOST:
                    yield Complaint(path, 0, "is of no room; tests/style/code_rules.py has the map of rooms, and of public headers")
                continue
            through = {path: path}  # what was reached, and what included it
            waiting = [path]
            while waiting:
                at = waiting.pop()
                for name in inside[at]:
                    if name in through or name.removeprefix(house) in COMMON:
                        continue
                    through[name] = at
                    waiting.append(name)
                    other = room_of(name.removeprefix(house))
                    if at != path and other != room and other not in rooms[room]:
                        yield Complaint(path, 0, f"reaches {name} through {at}; the room {room} may not include it")


def circle_of(rooms: dict[str, tuple[str, ...]]) -> list[str]:
    """Rooms that include one another, the first named again at the end; empty where there are none."""
    done: set[str] = set()

    def walk(room: str, way: list[str]) -> list[str]:
        if room in way:
            return [*way[way.index(room) :], room]
        if room not in done:
            for other in rooms.get(room, ()):
                if found := walk(other, [*way, room]):
                    return found
            done.add(room)
        return []

    return next((found for room in rooms if (found := walk(room, []))), [])


class Ban(NamedTuple):
    pattern: re.Pattern[str]
    why: str


# At the end of a line, with a reason: nothing depends on the order of what the line goes through.
ANY_ORDER = re.compile(r"// any order: \w+")
# As well: a buffer that is kept to save its allocation, and whose content is no one's between two calls.
SCRATCH = re.compile(r"// scratch: \w+")


def ban(pattern: str, why: str) -> Ban:
    return Ban(re.compile(pattern), why)


WALL_TIME = "time comes with the journal (now_ms)"
CHANCE = "nothing that decides may be random"
OUTSIDE = "the kernel has no files, sockets, environment or output"
THREADS = "the kernel has no threads: one writer owns its state"
SHARED = "several kernels in one process share nothing; make it a member, or end the line with // scratch: why"
LOCALE = "the result depends on the process's locale; use std::from_chars or std::to_chars"
ADDRESSES = "addresses differ from run to run; order by sequence or id, or end the line with // any order: why"
BANS = [
    ban(r"(?<![\w.>])(?:std::)?(?:time|clock|gettimeofday|clock_gettime|localtime|gmtime|mktime)\s*\(", WALL_TIME),
    ban(r"\b(?:system_clock|steady_clock|high_resolution_clock|utc_clock)\b", WALL_TIME),
    ban(r"(?<![\w.>])(?:std::)?(?:s?rand|random|drand48|arc4random)\s*\(", CHANCE),
    ban(r"\b(?:random_device|mt19937(?:_64)?|default_random_engine|random_shuffle)\b", CHANCE),
    ban(r"\b(?:secure_)?getenv\s*\(", OUTSIDE),
    ban(r"\b(?:fopen|popen|fork|execv\w*|socket|mmap|dlopen|dlsym)\s*\(", OUTSIDE),
    ban(r"\bstd::(?:cout|cerr|clog|cin|i?o?fstream|filesystem)\b", OUTSIDE),
    ban(r"#\s*include\s*<(?:iostream|fstream|filesystem|cstdio|stdio\.h|unistd\.h|syslog\.h)>", OUTSIDE),
    ban(r"(?<![\w.>])(?:std::)?f?printf\s*\(", OUTSIDE),
    ban(r"\bstd::(?:j?thread|async|mutex|shared_mutex|condition_variable\w*|promise|this_thread)\b", THREADS),
    ban(r"\bthread_local\b", SHARED),
    ban(r"^\s*static\s+(?!const\b|constexpr\b|inline\b)[\w:<>*&, ]+?\s[*&]?\w+\s*(?:;|=[^=]|\{)", SHARED),
    ban(r"(?<![\w.>])(?:std::)?(?:strto[dflu]\w*|sto[dfiul]\w*|ato[fil]\w*|sscanf|setlocale)\s*\(", LOCALE),
    ban(r"\bstd::locale\b|\bstd::[io]?stringstream\b", LOCALE),
    ban(r"\bstd::(?:map|set|multimap|multiset|less|greater)<(?:const )?[\w:]+ ?\*", ADDRESSES),
    ban(r"reinterpret_cast<(?:std::)?u?intptr_t>", ADDRESSES),
]

HASH_TABLE = r"(?:std|boost)::unordered_\w+"
ALIAS = re.compile(r"\busing (\w+) =\s*%s<" % HASH_TABLE)
HASH_ORDER = "goes through a hash table, whose order is no one's; sort first, or end the line with // any order: why"


def without_comments(lines: list[str]) -> list[str]:
    """The same lines with comments and the insides of string literals blanked."""
    blanked, in_comment = [], False
    for line in lines:
        out, at, quote = "", 0, ""
        while at < len(line):
            two = line[at : at + 2]
            if in_comment:
                in_comment = two != "*/"
                at += 1 if in_comment else 2
            elif quote:
                quote = "" if line[at] == quote else quote
                at += 2 if line[at] == "\\" else 1
            elif two == "//":
                break
            elif two == "/*":
                in_comment, at = True, at + 2
            elif line[at] == '"':
                quote, at, out = '"', at + 1, out + '""'
            else:
                out, at = out + line[at], at + 1
        blanked.append(out)
    return blanked


def declared_after(text: str, start: int) -> list[str]:
    """The names declared by a type that opens its template arguments right before `start`."""
    depth = 1
    while depth and start < len(text):
        depth += {"<": 1, ">": -1}.get(text[start], 0)
        start += 1
    if several := re.match(r"\s*(\w+(?:\s*,\s*\w+)+)\s*;", text[start:]):
        return re.split(r"\s*,\s*", several.group(1))
    one = re.match(r"\s*&?\s*(\w+)\s*[;={,)(]", text[start:])
    return [one.group(1)] if one else []


def declarations(text: str, type_pattern: str) -> set[str]:
    found = re.finditer(r"\b(?:%s)<" % type_pattern, text)
    return {name for place in found for name in declared_after(text, place.end())}


def banned(tree: Tree) -> Iterator[Complaint]:
    """the kernel calls nothing whose answer could differ between two runs of one journal"""
    code = {path: without_comments(tree.lines(path)) for path in tree.paths(*C_SOURCES, under=KERNEL)}
    texts = {path: "\n".join(lines) for path, lines in code.items()}
    hash_types = "|".join([HASH_TABLE, *sorted({name for text in texts.values() for name in ALIAS.findall(text)})])
    in_headers = "\n".join(text for path, text in texts.items() if path.endswith(".hpp"))
    # Members are declared in headers and walked elsewhere. A name that is also an ordered container's is left to review.
    members = declarations(in_headers, hash_types) - declarations(in_headers, r"(?:std|boost::container)::(?!unordered)\w+")
    for path, lines in code.items():
        names = "|".join(sorted(members | declarations(texts[path], hash_types))) or "(?!)"
        walks = re.compile(rf"for\s*\(.*:\s*(?:[\w.>()-]*[.>])?(?:{names})\s*\)|\b(?:{names})\.c?begin\(\)")
        for number, line in enumerate(lines, 1):
            full = tree.lines(path)[number - 1]
            for rule in BANS:
                excuse = {ADDRESSES: ANY_ORDER, SHARED: SCRATCH}.get(rule.why)
                if (found := rule.pattern.search(line)) and not (excuse and excuse.search(full)):
                    yield Complaint(path, number, f"{found.group().strip()}: {rule.why}")
            if walks.search(line) and not ANY_ORDER.search(full):
                yield Complaint(path, number, HASH_ORDER)


# Sources that other projects than this build compile, each with the reason.
# Copied by `tenon plugin new`; programs of their own, against installed packages. Tests build both.
NOT_OURS_TO_COMPILE = ("sdk/templates/", "sdk/examples/rm-c/", "sdk/examples/rm-cpp/")


def dead_sources(tree: Tree) -> Iterator[Complaint]:
    """every source is compiled, every header of our own included"""
    compiled = tree.compiled()
    for path in tree.paths("*.c", "*.cpp"):
        if path not in compiled and not path.startswith(NOT_OURS_TO_COMPILE):
            yield Complaint(path, 0, "no target compiles it")
    names = [name for path in tree.paths(*C_SOURCES) for _, name, _ in includes_of(tree, path)]
    included = {name.rsplit("/", 1)[-1] for name in names}
    for path in tree.paths("*.h", "*.hpp"):
        if "include/" in path or path.startswith(NOT_OURS_TO_COMPILE):
            continue  # for other projects to include
        if path.rsplit("/", 1)[-1] not in included:
            yield Complaint(path, 0, "nothing includes it")


ABI_BANS = [
    ban(r"^\s*(?:typedef\s+)?enum\b", "no enum crosses the ABI; use uint32_t and macros"),
    ban(r"\b_?[Bb]ool\b", "no bool crosses the ABI; use uint32_t"),
    ban(r"\b(?:long|short|unsigned|size_t|int)\b(?!\w)", "only fixed widths cross the ABI"),
    ban(r"^\s*u?int\d+_t\s+\w+\s*:\s*\d", "no bit-field crosses the ABI"),
]
STRUCT = re.compile(r"^typedef struct (\w+) \{")
SLOT = re.compile(r"\(\*\w+\)\(")
THREAD = re.compile(r"\[(?:cycle|io|main|any)\]")
# Items of arrays and values that stand inside of other structs, of fixed layout for ever.
UNSIZED = {
    "tenon_text",
    "tenon_text_map",
    "tenon_numbers",
    "tenon_texts",
    "tenon_rm_pairs",
    "tenon_rm_amounts",
    "tenon_rm_priority",
    "tenon_rm_preemption",
    "tenon_view_list",
    "tenon_view_texts",
}


def abi(tree: Tree) -> Iterator[Complaint]:
    """ABI headers: fixed widths, a size first in every struct, a thread for every slot"""
    for path in tree.paths("*.h", under=("sdk/include/tenon/abi/",)):
        lines = tree.lines(path)
        code = without_comments(lines)
        for number, line in enumerate(code, 1):
            for rule in ABI_BANS:
                if rule.pattern.search(line):
                    yield Complaint(path, number, rule.why)
            if found := STRUCT.match(line):
                first = next((text for text in code[number:] if text.strip()), "")
                if found.group(1) not in UNSIZED and not re.match(r"\s*uint32_t size;", first):
                    yield Complaint(path, number, f"{found.group(1)} does not start with uint32_t size")
            if SLOT.search(line) and not THREAD.search(slot_comment(lines, number - 1)):
                yield Complaint(path, number, "a slot's comment ends in its thread: [cycle], [io], [main] or [any]")


def slot_comment(lines: list[str], index: int) -> str:
    """The comment at the line of a slot or right above it."""
    text, above = lines[index], index - 1
    while ";" not in text and index + 1 < len(lines):
        index += 1
        text += lines[index]
    while above >= 0 and lines[above].strip() and not lines[above].rstrip().endswith((";", "{")):
        text = lines[above] + text
        above -= 1
    return text


# What people read. Programs compare ids, kinds and states, which stay when a sentence is written better.
SENTENCE = r'"[^"]*[A-Za-z]{2,},? [A-Za-z]{2,}[^"]*"'
BY_WORDS = re.compile(
    rf"[=!]=\s*{SENTENCE}|{SENTENCE}\s*[=!]=|[.>](?:starts_with|ends_with|contains|find|compare)\(\s*{SENTENCE}"
    r"|[=!]=\s*(?:messages::\w+\(|text_of\(d[,)])|\b(?:messages::\w+\([^;]*?|text_of\(d[^;]*?)\)\s*[=!]="
)
# At the end of a line: it is no sentence but a value that a format has.
A_VALUE = re.compile(r"// a value of \w+")


def by_words(tree: Tree) -> Iterator[Complaint]:
    """nothing is decided by a text that people read: no comparison with a sentence or with what messages.hpp makes"""
    for path in tree.paths(*C_SOURCES, under=("kernel/", "cli/", "plugins/", "sdk/")):
        if path.endswith(("_test.cpp", "_test.c")):
            continue
        for number, line in enumerate(tree.lines(path), 1):
            code = line.split("//")[0]
            if (found := BY_WORDS.search(code)) and not A_VALUE.search(line):
                yield Complaint(path, number, f"{found.group().strip()}: decides by words; give it a kind, an id or a state")


# Full names of partitions, [rm]name.
OF_A_PARTITION = re.compile(r"""\bfind\w*\(\s*(?:'\]'|"\]")|["']\[["']\s*\+[^;]*\brm\w*|"\[[\w-]+\][\w-]+""")
READS_PARTITIONS = "kernel/core/base/partition_name.cpp"


def partition_names(tree: Tree) -> Iterator[Complaint]:
    """[rm]name is read and written in one file; all else has a partition's handle, or calls partition_name.hpp"""
    for path in tree.paths(*C_SOURCES, under=("kernel/", "cli/")):
        if path == READS_PARTITIONS or path.endswith("_test.cpp"):
            continue
        for number, line in enumerate(tree.lines(path), 1):
            if found := OF_A_PARTITION.search(line.split("//")[0]):
                yield Complaint(path, number, f"{found.group().strip()}: names of partitions are for {READS_PARTITIONS}")


A_CONSTANT = re.compile(r"\b(?:constexpr|const|constinit)\b[^;(=]*?\b(k[A-Z]\w*)\s*(?:=|\{|\[)")
A_TEST = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)")
OF_A_TEST = re.compile(r"(?:[A-Z][a-z0-9]*)+")


def names(tree: Tree) -> Iterator[Complaint]:
    """one style for constants, snake_case, and one for tests, Suite.Behaviour without underscores"""
    for path in tree.paths(*C_SOURCES):
        for number, line in enumerate(tree.lines(path), 1):
            if found := A_CONSTANT.search(line.split("//")[0]):
                yield Complaint(path, number, f"{found.group(1)}: a constant is snake_case, as everything else")
            if (found := A_TEST.match(line)) and not all(OF_A_TEST.fullmatch(name) for name in found.groups()):
                yield Complaint(path, number, f"{'.'.join(found.groups())}: a test is Suite.Behaviour, without underscores")


# Rooms whose classes partition.hpp tells of one another.
TOLD_ROOMS = tuple(f"{ROOT_OF_ROOMS}{room}/" for room in WITHOUT_PARTITION)
A_REFERENCE = re.compile(r"^  (?:const )?[\w:<>,* ]+ &\w+_;")


def told(tree: Tree) -> Iterator[Complaint]:
    """what a class of the kernel is told is a struct NAME_access, which it inherits: one reference may be a member"""
    for path in tree.paths("*.hpp", under=TOLD_ROOMS):
        found = [number for number, line in enumerate(tree.lines(path), 1) if A_REFERENCE.match(line)]
        if len(found) > 1:
            yield Complaint(path, found[1], "several references as members: put them into a struct NAME_access")


OF_THE_LEDGER = re.compile(r"\.edit\(\)|\bledger::(?:write|copy|set|(?:try_)?transition)\(|\bfriend class (?:ledger|links|fact_teller)\b")
# Who edits without a change, by room: snapshots build the copy of a partition or restore a saved one; states of partitions and
# of resource managers (commands, and the kernel itself, beside the rooms), and of an allocation that is being made
# (lifecycle), are no changes of a partition's objects.
PAST_THE_DISPATCHER = {
    "snapshots": ("ledger::write(", "ledger::copy(", "ledger::set("),
    "lifecycle": ("ledger::set(",),
    "commands": ("ledger::transition(",),
    "": ("ledger::set(", "ledger::transition(", "ledger::try_transition("),
}


def one_writer(tree: Tree) -> Iterator[Complaint]:
    """amounts, states, links and what was told of an ask have one writer: the rooms that edit them otherwise are named"""
    for path in tree.paths(*C_SOURCES, under=(ROOT_OF_ROOMS,)):
        room = path.removeprefix(ROOT_OF_ROOMS).rpartition("/")[0]
        if room == "ledger":
            continue
        for number, line in enumerate(tree.lines(path), 1):
            found = OF_THE_LEDGER.search(line.split("//")[0])
            if found is None or (room == "model" and found.group().startswith("friend")):
                continue
            if found.group() not in PAST_THE_DISPATCHER.get(room, ()):
                yield Complaint(path, number, f"{found.group()}: apply a change (model/changes.hpp) instead")


# Refusals, and what an inspection or a search found, change nothing: who finds them reports them.
REPORTS_A_CHANGE = re.compile(r"\bfacts\.tell(?:_node|_move|_queue_amounts)?\(|\bdecisions\.emit\(\s*decided::(?!\w+_rejected\b)\w+")


def derived(tree: Tree) -> Iterator[Complaint]:
    """what those outside hear of a change is derived from it, in outbound: elsewhere only refusals and findings are reported"""
    for path in tree.paths(*C_SOURCES, under=(ROOT_OF_ROOMS,)):
        if path.startswith(f"{ROOT_OF_ROOMS}outbound/"):
            continue
        for number, line in enumerate(tree.lines(path), 1):
            if found := REPORTS_A_CHANGE.search(line.split("//")[0]):
                yield Complaint(path, number, f"{found.group()}: apply a change, and say in outbound what is heard of it")


RULES = [arrows, rooms_reach, banned, dead_sources, abi, by_words, partition_names, names, told, one_writer, derived]
