#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Proves of every style rule that it passes what is right and complains about what is wrong.

A case is a small tree of files and the places that the rule complains about, as path:line or path.
"""

import json
import pathlib
import tempfile
import unittest
from typing import NamedTuple

import code_rules
import doc_rules
import style
from tree import Tree

HEAD = "// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0\n"
HOST_HEADER = "kernel/host/include/tenon/host/unasked_end.hpp"
KERNEL_SOURCE = "kernel/core/cycle.cpp"
ABI_HEADER = "sdk/include/tenon/abi/a.h"
DIFFERENCES = doc_rules.DIFFERENCES
POLICY = "plugins/sort-policies/a/module.cpp"
HOW_TO_ADD = "docs/how-to-add.md"


class Case(NamedTuple):
    rule: str
    files: dict[str, str]
    places: list[str] = []
    compiled: list[str] = []


def kernel_line(line: str) -> dict[str, str]:
    return {KERNEL_SOURCE: line + "\n"}


def complains_at_line_one(rule: str, path: str, *lines: str) -> list[Case]:
    return [Case(rule, {path: line + "\n"}, [f"{path}:1"]) for line in lines]


def is_content_with(rule: str, path: str, *lines: str) -> list[Case]:
    return [Case(rule, {path: line + "\n"}) for line in lines]


SCENARIO = "tests/scenarios/a.yaml"
PHASES_AB = 'gate_phases=(a)\n[a]="1 2" [b-c]="3 4"\n'


def answers(*items: int) -> str:
    """A page of differences with two lists: the first row of each has a test, the others are not built."""
    rows = "".join(f"| {item} | theirs | ours *not built* | — |\n" for item in items)
    return f"## A list\n| 1 | theirs | ours | `suite.name` |\n{rows}" * 2


def knows_one_another(count: int) -> str:
    """So many classes, of which each is told of the next one, and the last one of the first."""
    return "".join(f"struct a{i}_access {{\n  a{(i + 1) % count} &of;\n}};\n" for i in range(count))


def shows(functions: int, head: str = "class a {\n public:") -> dict[str, str]:
    """A header of the kernel with a class that shows so many functions."""
    of_it = "".join(f"  int f{n}(std::span<const int> of,\n        int at = size()) const;\n" for n in range(functions))
    hidden = "  friend void g();\n  using one = int(int);\n  int size_ = first();\n private:\n  void h() { f(); }\n"
    return {"kernel/core/a.hpp": f"{HEAD}{head}\n{of_it}{hidden}}};\n"}


CASES = [
    Case("wide-classes", shows(40)),
    Case("wide-classes", shows(41), ["kernel/core/a.hpp:2"]),
    Case("wide-classes", shows(41, "struct a : private b<int> {"), ["kernel/core/a.hpp:2"]),
    Case("wide-classes", shows(41, "class a {")),
    Case("wide-classes", {"cli/src/a.hpp": shows(41)["kernel/core/a.hpp"]}),
    Case("length", {"kernel/core/a.cpp": "\n" * 400, "cli/src/a.cpp": "\n" * 1000, ABI_HEADER: "\n" * 200}),
    Case("length", {"kernel/core/a.cpp": "\n" * 401, "tests/a.py": "\n" * 1001}, ["kernel/core/a.cpp", "tests/a.py"]),
    Case("length", {ABI_HEADER: "\n" * 201}, [ABI_HEADER]),
    Case("length", {POLICY: "\n" * 60, "plugins/transports/a/module.cpp": "\n" * 61}),
    Case("length", {POLICY: "\n" * 61}, [POLICY]),
    Case("licence", {"cli/a.cpp": HEAD, "tools/a": "#!/bin/sh\n#\n" + HEAD, "data.csv": "1\n"}),
    Case("licence", {"cli/a.cpp": "int a;\n", "tools/a": "#!/bin/sh\n"}, ["cli/a.cpp:1", "tools/a:1"]),
    Case("licence", {"cli/a.hpp": "\n" * 8 + HEAD}, ["cli/a.hpp:1"]),
    Case("whitespace", {"a.md": "one\n\ntwo\n", "empty": ""}),
    Case("whitespace", {"a.md": "one \n", "b.cpp": "int a;\t\n", "c.yaml": "a: 1\r\n"}, ["a.md:1", "b.cpp:1", "c.yaml:1"]),
    Case("whitespace", {"a.md": "one", "b.md": "one\n\n"}, ["a.md", "b.md"]),
    *is_content_with("places", "a.md", "see docs/work/a", "$HOME/work", "root.a.b", "https://a.b/work", "./work/a"),
    *complains_at_line_one("places", "a.md", "/wo" "rk/a", "in /ro" "ot.", '"/ho' 'me/me/a"', "=/wo" "rk"),
    *is_content_with("unfinished", "a.cpp", "// todo list of a person", "int hack_count;"),
    *complains_at_line_one("unfinished", "a.cpp", "// TO" "DO: later", "// FIX" "ME", "// not implem" "ented"),
    # Dependency arrows.
    *is_content_with("arrows", ABI_HEADER, "#include <stdint.h>", '#include "tenon/abi/base.h"'),
    *is_content_with("arrows", "sdk/include/tenon/sdk/a.h", "#include <string.h>"),
    *complains_at_line_one("arrows", ABI_HEADER, "#include <string.h>", '#include "tenon/kernel/kernel.hpp"'),
    *is_content_with(
        "arrows",
        KERNEL_SOURCE,
        "#include <vector>",
        '#include "tenon/abi/sort.h"',
        "#include <boost/container/flat_map.hpp>",
    ),
    Case("arrows", {KERNEL_SOURCE: '#include "order.hpp"\n', "kernel/core/order.hpp": ""}),
    *complains_at_line_one(
        "arrows",
        KERNEL_SOURCE,
        "#include <yaml-cpp/yaml.h>",
        "#include <unistd.h>",
        '#include "tenon/host/loader.hpp"',
        '#include "../host/loader.hpp"',
        '#include "tenon/sdk/sort.hpp"',
    ),
    Case("arrows", {"kernel/core/rules/a.cpp": '#include "model/b.hpp"\n', "kernel/core/model/b.hpp": ""}),
    Case("arrows", {"kernel/core/rules/a.cpp": '#include "core.hpp"\n', "kernel/core/core.hpp": ""}),
    Case(
        "arrows",
        {"kernel/core/model/b.hpp": '#include "rules/a.hpp"\n', "kernel/core/rules/a.hpp": ""},
        ["kernel/core/model/b.hpp:1"],
    ),
    Case(
        "arrows", {"kernel/core/base/b.hpp": '#include "core.hpp"\n', "kernel/core/core.hpp": ""}, ["kernel/core/base/b.hpp:1"]
    ),
    Case(
        "arrows",
        {"kernel/core/core.hpp": '#include "rules/a.hpp"\n', "kernel/core/rules/a.hpp": ""},
        ["kernel/core/core.hpp:1"],
    ),
    Case("arrows", {"kernel/core/core.hpp": '#include "base/a.hpp"\n', "kernel/core/base/a.hpp": ""}),
    # Through headers as well.
    Case(
        "rooms-reach",
        {
            "kernel/core/queueing/a.cpp": '#include "ledger/b.hpp"\n',
            "kernel/core/ledger/b.hpp": '#include "rules/c.hpp"\n',
            "kernel/core/rules/c.hpp": "",
        },
        ["kernel/core/queueing/a.cpp"],
    ),
    Case(
        "rooms-reach",
        {
            "kernel/core/queueing/a.cpp": '#include "ledger/b.hpp"\n',
            "kernel/core/ledger/b.hpp": '#include "model/c.hpp"\n',
            "kernel/core/model/c.hpp": "",
        },
    ),
    # Rooms of the host, and its public headers, which are of rooms as well.
    Case("arrows", {"kernel/host/guards/a.cpp": '#include "calls/b.hpp"\n', "kernel/host/calls/b.hpp": ""}),
    Case(
        "arrows",
        {"kernel/host/isolation/a.cpp": '#include "guards/b.hpp"\n', "kernel/host/guards/b.hpp": ""},
        ["kernel/host/isolation/a.cpp:1"],
    ),
    Case(
        "arrows",
        {"kernel/host/library/a.cpp": '#include "tenon/host/unasked_end.hpp"\n', HOST_HEADER: ""},
        ["kernel/host/library/a.cpp:1"],
    ),
    Case("arrows", {"kernel/host/loading/a.cpp": '#include "tenon/host/unasked_end.hpp"\n', HOST_HEADER: ""}),
    Case(
        "rooms-reach",
        {
            "kernel/host/flight/a.cpp": '#include "calls/b.hpp"\n',
            "kernel/host/calls/b.hpp": '#include "tenon/host/unasked_end.hpp"\n',
            HOST_HEADER: "",
        },
        ["kernel/host/flight/a.cpp"],
    ),
    Case("rooms-reach", {"kernel/host/attic/a.cpp": ""}, ["kernel/host/attic/a.cpp"]),
    Case("rooms-reach", {"kernel/host/include/tenon/host/a.hpp": ""}, ["kernel/host/include/tenon/host/a.hpp"]),
    *complains_at_line_one("arrows", "kernel/host/a.cpp", '#include "tenon/cli/a.hpp"', '#include "tenon/events/a.hpp"'),
    *is_content_with("arrows", "kernel/service/src/a.cpp", '#include "tenon/events/a.hpp"'),
    *complains_at_line_one("arrows", "kernel/events/src/a.cpp", '#include "tenon/service/a.hpp"'),
    *is_content_with("arrows", "kernel/observe/src/a.cpp", '#include "tenon/service/a.hpp"'),
    *complains_at_line_one("arrows", "kernel/observe/src/a.cpp", '#include "tenon/rm/tenon.h"'),
    *is_content_with("arrows", "kernel/libtenon/src/a.cpp", '#include "tenon/rm/tenon.h"'),
    *complains_at_line_one("arrows", "kernel/libtenon/src/a.cpp", '#include "tenon/conformance/verify.hpp"'),
    *complains_at_line_one("arrows", "sdk/conformance/src/a.cpp", '#include "tenon/service/a.hpp"'),
    *complains_at_line_one("arrows", "cli/src/run/a.cpp", '#include "tenon/rm/tenon.h"'),
    Case("arrows", {"kernel/attic/a.cpp": ""}, ["kernel/attic/a.cpp"]),
    Case("arrows", {"cli/src/report/a.cpp": '#include "simulate/b.hpp"\n', "cli/src/simulate/b.hpp": ""}),
    Case("arrows", {"cli/src/a.cpp": '#include "simulate/b.hpp"\n', "cli/src/simulate/b.hpp": ""}),
    Case(
        "arrows",
        {"cli/src/simulate/a.cpp": '#include "report/b.hpp"\n', "cli/src/report/b.hpp": ""},
        ["cli/src/simulate/a.cpp:1"],
    ),
    *complains_at_line_one("arrows", "kernel/config/a.cpp", '#include "tenon/host/a.hpp"'),
    *is_content_with("arrows", "plugins/sort-policies/a/module.cpp", '#include "tenon/sdk/sort.hpp"'),
    *complains_at_line_one("arrows", "plugins/sort-policies/a/module.cpp", '#include "tenon/kernel/kernel.hpp"'),
    *complains_at_line_one("arrows", "plugins/transports/grpc/http2/a.cpp", '#include "tenon/wire/codec.hpp"'),
    # Banned calls.
    *is_content_with(
        "banned",
        KERNEL_SOURCE,
        "total_time(a); a.time(); // calls time() in a comment",
        'say("time(NULL)");',
        "for (auto &a : queues_) go(a);",
        "std::unordered_map<int, int> table; table.find(3);",
        "std::unordered_map<int, int> table; for (auto &a : table) sum += a.second;  // any order: a sum",
        "std::map<node_id, node *> by_id;",
        "  static const resources none;",
        "  static std::vector<ask *> by_age(std::vector<ask *> list);",
        "  thread_local buffer b;  // scratch: filled anew by every call",
        "std::set<const node *> seen;  // any order: only its size counts",
    ),
    *complains_at_line_one(
        "banned",
        KERNEL_SOURCE,
        "now = time(nullptr);",
        "std::chrono::steady_clock::now();",
        "std::rand();",
        "std::random_device seed;",
        'std::getenv("HOME");',
        'fopen("a", "r");',
        "std::cout << 1;",
        "#include <iostream>",
        "std::thread worker;",
        "std::mutex m;",
        "thread_local int n;",
        "  static std::map<int, int> cache;",
        "static int calls = 0;",
        "std::stod(text);",
        "std::map<node *, int> by_address;",
        "std::set<const node *> by_address;",
        "std::unordered_map<int, std::vector<int>> table; for (auto &a : table) go(a);",
        "boost::unordered_flat_set<int> table; auto i = table.begin();",
        "for (auto &[key, a] : names_) go(a); std::unordered_map<std::string, int> names_;",
    ),
    Case(
        "banned",
        {
            "kernel/core/a.hpp": "std::unordered_map<int, int> asks_;\n",
            "kernel/core/a.cpp": "\nfor (auto &a : other.asks_) go(a);\n",
        },
        ["kernel/core/a.cpp:2"],
    ),
    Case(
        "banned",
        {
            "kernel/core/a.hpp": "template <class V> using text_map = boost::unordered_flat_map<std::string, V>;\n"
            "text_map<std::vector<int>> asks;\ntext_map<int> both;\nstd::vector<int> more, both;\n",
            "kernel/core/a.cpp": "for (auto &a : app->asks) go(a);\nfor (auto &a : app.both) go(a);\n",
        },
        ["kernel/core/a.cpp:1"],
    ),
    Case("banned", {"kernel/host/a.cpp": "time(nullptr);\n"}),
    # Files that nothing uses.
    Case("dead-sources", {"cli/a.cpp": '#include "a.hpp"\n', "cli/a.hpp": ""}, compiled=["cli/a.cpp"]),
    Case("dead-sources", {"cli/a.cpp": "", "cli/b.cpp": ""}, ["cli/b.cpp"], compiled=["cli/a.cpp"]),
    Case("dead-sources", {"cli/a.cpp": "", "cli/b.cpp": "", "build/Unity/unity_0_cxx.cxx": '#include "ROOT/cli/a.cpp"\n'},
         ["cli/b.cpp"], compiled=["build/Unity/unity_0_cxx.cxx"]),
    Case("dead-sources", {"cli/a.hpp": "", "sdk/include/tenon/a.h": ""}, ["cli/a.hpp"]),
    # ABI headers.
    Case(
        "abi",
        {
            ABI_HEADER: "typedef struct tenon_a {\n  uint32_t size;\n  uint32_t kind; /* an enum, a bool */\n\n"
            "  /* Goes on. [io] */\n  tenon_status (*go)(tenon_instance *, const tenon_nothing *);\n"
            "  tenon_status (*current)(const tenon_host *,\n                          tenon_out *out); /* [any] */\n"
            "} tenon_a;\n"
        },
    ),
    *is_content_with(
        "by-words", KERNEL_SOURCE, 'return state == "Running";', 'text += ", and of nodes";', 'find("a shared library", what);',
        'if (state == "the same") return;  // a value of the answer', "// as == \"a text that\" was",
    ),
    *complains_at_line_one(
        "by-words", KERNEL_SOURCE, 'if (d.text == "waits for nodes") return;', 'text.starts_with("limit on ram")',
        "if (words != messages::existing()) return;", "if (messages::nothing_left() == why) return;", "return text_of(d) == gone;",
    ),
    *is_content_with(
        "derived", KERNEL_SOURCE, "decision_view &d = decisions.emit(decided::ask_rejected{why});", "facts.tell_held(app, full, held);",
        "decisions.emit(what).node = id;",
    ),
    *is_content_with("derived", "kernel/core/outbound/decision_teller.cpp", "decisions.emit(decided::application_accepted{}, app);"),
    *is_content_with("derived", KERNEL_SOURCE, "changes.apply(ask_moved{*a, ask_event::accept});", "facts.write(c);"),
    *complains_at_line_one(
        "derived", KERNEL_SOURCE, "facts.tell(fact_kind::ask_added, *a);", "  facts.tell_queue_amounts(leaf, {}, {});",
        "decisions.emit(decided::application_accepted{}, app);",
    ),
    *is_content_with(
        "partition-names", KERNEL_SOURCE, 'out = "[" + joined(texts) + "]";', "to.find_partition(id);  // of [rm]name", 'step("[cycle]");',
    ),
    *is_content_with("partition-names", code_rules.READS_PARTITIONS, "const size_t end = text.find(']');"),
    *complains_at_line_one(
        "partition-names", KERNEL_SOURCE, "const size_t end = text.find(']');", 'find("[" + rm + "]" + c.name);',
        'constexpr std::string_view where = "[load]default";',
    ),
    *is_content_with(
        "names", KERNEL_SOURCE, "constexpr size_t most_steps = 3;", "TEST_F(Nodes, DrainedOneTakesNothing) {",
        "const auto field = generated::kSizeFieldNumber;",
    ),
    *complains_at_line_one(
        "names", KERNEL_SOURCE, "constexpr size_t kMostSteps = 3;", "inline constexpr char kPath[] = {};",
        "TEST(nodes, DrainedOneTakesNothing) {", "TEST_P(Nodes, Drained_TakesNothing) {",
    ),
    Case("abi", {ABI_HEADER: "typedef struct tenon_a {\n  uint64_t words;\n} tenon_a;\n"}, [f"{ABI_HEADER}:1"]),
    Case("abi", {ABI_HEADER: "  uint32_t a;\n\n  /* Goes. */\n  tenon_status (*go)(int32_t);\n"}, [f"{ABI_HEADER}:4"]),
    *complains_at_line_one(
        "abi",
        ABI_HEADER,
        "enum tenon_kind { a };",
        "bool done;",
        "unsigned long count;",
        "int count;",
        "size_t count;",
        "uint32_t flag : 1;",
    ),
    Case("circles", {"kernel/core/a.hpp": knows_one_another(8)}),
    Case("circles", {"kernel/core/a.hpp": knows_one_another(9)}, ["kernel/core/a.hpp"]),
    Case("circles", {"kernel/core/a.hpp": knows_one_another(9).replace("a1 &of", "port &of")}),
    Case(
        "circles",
        {"kernel/core/a.hpp": knows_one_another(9).replace("a1 &of", "port &of") + "class a1 final : public port, a1_access {};\n"},
        ["kernel/core/a.hpp"],
    ),
    Case("notified", {"tests/style/notified.yaml": "# why\nkeys.restart: a reason\n", "kernel/core/rules/a.cpp": "  keys.restart(policy);\n  x = alarms.kind_for(a);\n"}),
    Case("notified", {"tests/style/notified.yaml": "keys.restart: a reason\n", "kernel/core/rules/a.cpp": "keys.restart(policy);\nready.wake_blocked();\n"}, ["kernel/core/rules/a.cpp:2"]),
    Case("notified", {"tests/style/notified.yaml": "keys.restart:\nready.hold: a reason\n", "kernel/core/cycle/a.cpp": "keys.restart(policy);\n"},
         ["tests/style/notified.yaml:1", "tests/style/notified.yaml:2"]),
    Case("notified", {"tests/style/notified.yaml": "".join(f"keys.changed: {i}\n" for i in range(31)), "kernel/core/cycle/a.cpp": "keys.changed(q);\n"},
         ["tests/style/notified.yaml"]),
    Case("told", {"kernel/core/rules/a.hpp": "struct a_access {\n  core &shared;\n  queue &of;\n};\nclass a : a_access {\n  ask *all_;\n};\n"}),
    Case("told", {"kernel/core/rules/a.hpp": "class a {\n  core &shared_;\n  const queue &of_;\n};\n"}, ["kernel/core/rules/a.hpp:3"]),
    Case("one-writer", {"kernel/core/ledger/a.hpp": "x.edit() = 1;\n", "kernel/core/model/a.hpp": "friend class ledger;\n",
                        "kernel/core/kernel.cpp": "internal::ledger::transition(s, e);\n"}),
    *complains_at_line_one(
        "one-writer",
        "kernel/core/rules/a.cpp",
        "a.group.edit() = nullptr;",
        "ledger::write(ask_told{a, word});",
        "ledger::transition(a.state, ask_event::place);",
        "friend class ledger;",
    ),
    # Documents.
    Case(
        "links",
        {
            "README.md": "# A tour\n[here](#a-tour) [doc](docs/a.md#what-it-is) [out](https://a.b/c) `docs/a.md`\n"
            "```\n[not a link](nowhere.md)\n```\n",
            "docs/a.md": "## What `it` is\n[up](../README.md)\n",
        },
    ),
    Case("index", {"docs/README.md": "[a](a.md)\n[b](b/c.md)\n", "docs/a.md": "", "docs/b/c.md": "", "other.md": ""}),
    Case("index", {"docs/README.md": "[a](a.md)\n", "docs/a.md": "", "docs/b.md": ""}, ["docs/b.md"]),
    Case("how-to-add", {HOW_TO_ADD: "| `a.cpp` | `int a` | it |\n| `b.cpp` | `b` | it |\n\nMore.\n", "a.cpp": "int a;", "b.cpp": "b"}),
    Case("how-to-add", {HOW_TO_ADD: "| `a.cpp` | `int a` | it |\n\nMore.\n"}, [f"{HOW_TO_ADD}:1"]),
    Case("how-to-add", {HOW_TO_ADD: "| `a.cpp` | `int a` | it |\n", "a.cpp": "int b;"}, [f"{HOW_TO_ADD}:1"]),
    Case("differences", {DIFFERENCES: answers(2, 3), "tests/a_test.cpp": "TEST(suite, name) {}\n"}),
    Case("differences", {DIFFERENCES: answers().replace("suite.name", SCENARIO), SCENARIO: "name: a\n"}),
    Case("differences", {DIFFERENCES: answers().replace("suite.name", SCENARIO)}, [f"{DIFFERENCES}:{line}" for line in (2, 4)]),
    Case("differences", {DIFFERENCES: answers(2), "tests/a_test.cpp": "TEST(suite, other) {}\n"},
         [f"{DIFFERENCES}:{line}" for line in (2, 5)]),
    Case("differences", {DIFFERENCES: answers(2).replace(" *not built*", "", 1), "tests/a_test.cpp": "TEST(suite, name) {}\n"},
         [f"{DIFFERENCES}:3"]),
    Case("differences", {DIFFERENCES: answers(2, 4, 4), "tests/a_test.cpp": "TEST(suite, name) {}\n"},
         [f"{DIFFERENCES}:{line}" for line in (4, 9)]),
    Case("budgets", {"tools/test": PHASES_AB, "HACKING.md": "| `a` | 1 | 2 |\n| gate | 1 | 2 |\n| `b-c` | 3 | 4 |\n"}),
    Case("budgets", {"tools/test": PHASES_AB, "HACKING.md": "| `a` | 1 | 3 |\n| gate | 1 | 2 |\n"}, ["HACKING.md"]),
    Case("budgets", {"tools/test": PHASES_AB, "HACKING.md": "| `a` | 1 | 2 |\n| gate | 4 | 6 |\n| `b-c` | 3 | 4 |\n"}, ["HACKING.md"]),
    Case("budgets", {"tools/test": 'gate_phases=(a)\n[a]="16 30"\n', "HACKING.md": "| `a` | 16 | 30 |\n| gate | 16 | 30 |\n"}, ["tools/test"]),
    Case("budgets", {"tools/test": "gate_phases=(a)\n", "HACKING.md": "| gate | 0 | 0 |\n"}, ["tools/test"]),
    *complains_at_line_one("links", "a.md", "[gone](b.md)", "[gone](#nothing)", "`docs/gone.md`", "![gone](a.svg)"),
]


class StyleRules(unittest.TestCase):
    def test_every_case(self):
        for case in CASES:
            with self.subTest(rule=case.rule, files=case.files):
                self.assertEqual(self.complaints(case), case.places)

    def test_rooms_in_a_circle_are_named(self):
        self.assertEqual(code_rules.circle_of({"a": ("b", "c"), "b": ("c",), "c": ("b",)}), ["b", "c", "b"])
        self.assertEqual(code_rules.circle_of({"a": ("b", "c"), "b": ("c",), "c": ()}), [])

    def test_every_rule_has_a_tree_that_passes_and_one_that_fails(self):
        for rule in style.RULES:
            outcomes = {bool(case.places) for case in CASES if case.rule == rule}
            self.assertEqual(outcomes, {True, False}, rule)

    def test_the_table_of_minutes_is_written_from_those_of_the_phases(self):
        table = "# A\n| `gone` | 1 | 2 |\n| gate | 4 | 6 |\n\n| `b-c` | 9 | 9 |\n\nB\n"
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "tools").mkdir()
            (root / "tools/test").write_text(PHASES_AB + '[d]="5 6"\n')
            (root / "HACKING.md").write_text(table)
            self.assertTrue(list(doc_rules.budgets(Tree(root))))
            (root / "HACKING.md").write_text(doc_rules.with_budgets(Tree(root)))
            self.assertEqual(list(doc_rules.budgets(Tree(root))), [])
            self.assertEqual((root / "HACKING.md").read_text(),
                             "# A\n| `a` | 1 | 2 |\n| gate | 1 | 2 |\n\n| `b-c` | 3 | 4 |\n| `d` | 5 | 6 |\n\nB\n")

    def complaints(self, case: Case) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in case.files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_bytes(text.replace("ROOT", folder).encode())
            build = root / "build"
            build.mkdir(exist_ok=True)
            entries = [{"directory": str(root), "file": path} for path in case.compiled]
            (build / "compile_commands.json").write_text(json.dumps(entries) + "\n")
            found = style.RULES[case.rule](Tree(root, build))
            return [f"{c.path}:{c.line}" if c.line else c.path for c in found]


if __name__ == "__main__":
    unittest.main()
