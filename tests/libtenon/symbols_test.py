#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""A process that embeds the scheduler has its C functions and nothing else of it, and no protobuf or gRPC at all."""

import pathlib
import re
import subprocess
import sys
import unittest

LIBRARY = pathlib.Path(sys.argv[1])
FOLDER = pathlib.Path(sys.argv[2])


def output(*command) -> str:
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def all_needed(library: pathlib.Path) -> set[str]:
    """Names of all libraries that the loader brings in with it."""
    return set(re.findall(r"^\s*(\S+?)(?: =>|\s\()", output("ldd", library), flags=re.M))


class Symbols(unittest.TestCase):
    def test_exports_are_the_c_functions_alone(self):
        lines = output("nm", "--dynamic", "--defined-only", "--format=posix", LIBRARY).splitlines()
        names = {line.split()[0].partition("@")[0] for line in lines}
        self.assertTrue({"tenon_scheduler_open", "tenon_rm_submit"} <= names)
        self.assertEqual({name for name in names if not re.match(r"tenon_(scheduler|rm)_", name)}, set())

    def test_no_protobuf_and_no_grpc_in_the_process(self):
        inproc = FOLDER / "tenon/modules/inproc.so"
        self.assertTrue(inproc.exists())
        for library in (LIBRARY, inproc):
            found = {name for name in all_needed(library) if re.search(r"proto|grpc", name)}
            self.assertEqual(found, set(), library.name)
            symbols = output("nm", "--dynamic", library)
            self.assertNotIn("google8protobuf", symbols, library.name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
