#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Proves of every linkage check that it passes a good library and complains about a bad one."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import linkage

MODULE = f"const int {linkage.ENTRY} = 1;"
HIDDEN = ["-fvisibility=hidden"]
EXPORT = '__attribute__((visibility("default"))) '


class Linkage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = pathlib.Path(folder.name)
        self.library("lib/libother.so", "int other(void) { return 1; }")
        self.library("lib/libtenon_kernel.so", "int decide(void) { return 1; }")
        self.good = self.library(f"{linkage.MODULES}/good.so", EXPORT + MODULE + " int help(void) { return 1; }", *HIDDEN)

    def library(self, path: str, text: str, *options: str) -> pathlib.Path:
        file = self.build / path
        file.parent.mkdir(parents=True, exist_ok=True)
        compiler = os.environ.get("CC", "cc")
        command = [compiler, "-shared", "-fPIC", "-Wl,--no-as-needed", "-x", "c", "-", "-o", file, "-x", "none", *options]
        subprocess.run(command, input=text, check=True, text=True)
        return file

    def other(self) -> list[str]:
        return [f"-L{self.build}/lib", "-lother"]

    def expect(self, *parts: str):
        found = list(linkage.complaints(self.build))
        self.assertEqual(len(found), len(parts), found)
        for text, part in zip(found, parts):
            self.assertIn(part, text)

    def test_good_libraries_pass(self):
        self.expect()

    def test_a_kernel_that_is_not_built_is_said(self):
        (self.build / "lib/libtenon_kernel.so").unlink()
        self.expect("libtenon_kernel.so is not built")

    def test_a_kernel_that_needs_more_than_the_runtime_fails(self):
        self.library("lib/libtenon_kernel.so", "int a;", *self.other())
        self.expect("needs libother.so")

    def test_a_module_that_exports_more_fails(self):
        self.library(f"{linkage.MODULES}/bad.so", MODULE + " int help(void) { return 1; }")
        self.expect("exports help, tenon_module_v1")

    def test_a_module_that_exports_nothing_fails(self):
        self.library(f"{linkage.MODULES}/bad.so", "int help;", *HIDDEN)
        self.expect("exports nothing")

    def test_a_module_that_links_the_kernel_fails(self):
        kernel = ["-Wl,-soname,libtenon_kernel.so.0"]
        self.library("lib/libtenon_kernel.so", "int decide(void) { return 1; }", *kernel)
        self.library(f"{linkage.MODULES}/bad.so", MODULE, f"-L{self.build}/lib", "-ltenon_kernel")
        self.expect("needs libtenon_kernel.so.0")

    def test_a_place_of_this_machine_in_the_search_path_fails(self):
        self.library(f"{linkage.MODULES}/bad.so", MODULE, "-Wl,-rpath,$ORIGIN/..:/opt/build/lib")
        self.expect("looks for libraries in /opt/build/lib")

    def test_an_executable_stack_fails(self):
        self.library(f"{linkage.MODULES}/bad.so", MODULE, "-Wl,-z,execstack")
        self.expect("executable stack")

    def test_text_relocations_fail(self):
        text = "extern int elsewhere; asm(\".section .text\\n.quad elsewhere\"); " + MODULE
        self.library(f"{linkage.MODULES}/bad.so", text, "-Wl,-z,notext")
        self.expect("text relocations")


if __name__ == "__main__":
    unittest.main()
