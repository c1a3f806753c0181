#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Builds the example policies as a stranger does: in a folder of their own, with nothing but the SDK."""

import argparse
import ctypes
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import documented_examples

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("tests/documents", "tests/style")]
import linkage  # noqa: E402
import page_session  # noqa: E402

ARGUMENTS = argparse.Namespace()


class tenon_module(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("size", "abi_epoch", "draft_rev", "reserved")]


def run(*command, fails: bool = False) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if (done.returncode != 0) != fails:
        raise AssertionError(f"{' '.join(map(str, command))} gave {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def digest(library: pathlib.Path) -> str:
    return hashlib.sha256(library.read_bytes()).hexdigest()


class OutOfTree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tenon out of tree ")  # blanks must do no harm
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.prefix = cls.folder / "prefix"
        run(ARGUMENTS.cmake, "--install", ARGUMENTS.build, "--component", "sdk", "--prefix", cls.prefix)
        for name in ("include", "cmake"):
            shutil.copytree(ROOT / "sdk" / name, cls.folder / "tree" / "sdk" / name)

    def copied(self, example: str) -> pathlib.Path:
        target = self.folder / self.id().rpartition(".")[2] / example
        shutil.copytree(ROOT / "sdk/examples" / example, target)
        return target

    def configure(self, source: pathlib.Path, *found_by, fails: bool = False) -> str:
        return run(ARGUMENTS.cmake, "-G", "Ninja", "-S", source, "-B", source / "build",
                   f"-DCMAKE_C_COMPILER={ARGUMENTS.cc}", f"-DCMAKE_CXX_COMPILER={ARGUMENTS.cxx}",
                   *(found_by or (f"-DCMAKE_PREFIX_PATH={self.prefix}",)), fails=fails)

    def build(self, source: pathlib.Path):
        run(ARGUMENTS.cmake, "--build", source / "build")

    def expect_module(self, source: pathlib.Path, name: str):
        library, manifest = source / "build" / f"{name}.so", source / "build" / f"{name}.yaml"
        self.assertEqual(linkage.exported(library), {"tenon_module_v1"})
        self.assertLessEqual(linkage.needed(library), linkage.RUNTIME)
        self.assertIn(f"library: {name}.so\ndigest: sha256:{digest(library)}\n", manifest.read_text())
        entry = tenon_module.in_dll(ctypes.CDLL(str(library), mode=os.RTLD_NOW | os.RTLD_LOCAL), "tenon_module_v1")
        self.assertEqual((entry.size, entry.abi_epoch, entry.draft_rev, entry.reserved), (40, 1, 3, 0))

    def test_cpp_policy_against_the_installed_sdk(self):
        source = self.copied("least-attribute")
        self.configure(source)
        self.build(source)
        self.expect_module(source, "least-attribute")

    def test_c_policy_against_the_installed_sdk(self):
        source = self.copied("roomiest-c")
        self.configure(source)
        self.build(source)
        self.expect_module(source, "roomiest")

    def test_placement_rule_against_the_installed_sdk(self):
        source = self.copied("department")
        self.configure(source)
        self.build(source)
        self.expect_module(source, "department")

    def test_published_packings_are_proved_and_place(self):
        source = self.copied("packing")
        self.configure(source)
        self.build(source)
        self.expect_module(source, "packing")
        tenon = ARGUMENTS.build / "bin/tenon"
        self.assertRegex(run(tenon, "plugin", "verify", source / "build/packing.yaml"), r"example.packing 1.0.0: \d+ passed")
        nodes, pods, deployment = source / "nodes.csv", source / "pods.csv", source / "tenon.yaml"
        nodes.write_text("sn,cpu_milli,memory_mib,gpu,model\nn1,64000,65536,4,T4\nn2,64000,65536,2,P100\n")
        pods.write_text("name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec\na,1000,1,1,400,\nb,1000,1,1,1000,T4|P100\nc,1000,1,0,0,\n")
        deployment.write_text(run(sys.executable, source / "typical_asks.py", pods))
        self.assertIn('"1000 1000 0.333333333 T4|P100"', deployment.read_text())
        for name in re.findall(r"name: (packing-[a-z-]+)", (source / "packing.yaml").read_text()):
            said = run(tenon, "simulate", "--trace", f"openb:{nodes},{pods}", "--mode", "fill", "--inflate", "0.9", "--shuffle", "1",
                       "--node-sort", name, "--module-path", source / "build", "--deployment", deployment, "--json", "--no-progress")
            self.assertGreater(json.loads(said)["gpus_placed"], 3.5, name)

    def test_against_a_source_tree_of_the_sdk(self):
        source = self.copied("least-attribute")
        self.configure(source, f"-Dtenon-sdk_DIR={self.folder}/tree/sdk/cmake")
        self.build(source)
        self.expect_module(source, "least-attribute")

    def test_changed_manifest_is_sealed_again(self):
        source = self.copied("roomiest-c")
        self.configure(source)
        self.build(source)
        manifest, sealed = source / "roomiest.yaml", source / "build/roomiest.yaml"
        manifest.write_text(manifest.read_text().replace("most first.", "most; first [a] \\1 #."))
        self.build(source)
        self.assertIn("most; first [a] \\1 #.\n", sealed.read_text())
        self.expect_module(source, "roomiest")

    def test_changed_source_changes_the_digest(self):
        source = self.copied("roomiest-c")
        self.configure(source)
        self.build(source)
        before = digest(source / "build/roomiest.so")
        code = source / "module.c"
        code.write_text(code.read_text().replace("-(double)", "(double)"))
        self.build(source)
        self.assertNotEqual(digest(source / "build/roomiest.so"), before)
        self.expect_module(source, "roomiest")

    def test_installed_module_is_the_sealed_one(self):
        source = self.copied("roomiest-c")
        self.configure(source)
        self.build(source)
        run(ARGUMENTS.cmake, "--install", source / "build", "--prefix", source / "out", "--strip")
        installed = source / "out/lib/tenon/modules"
        self.assertEqual(digest(installed / "roomiest.so"), digest(source / "build/roomiest.so"))
        self.assertIn(digest(installed / "roomiest.so"), (installed / "roomiest.yaml").read_text())

    def test_manifest_without_a_needed_line_is_refused_by_name(self):
        for key, line in (("library", "library: roomiest.so\n"), ("version", "version: 1.0.0\n"), ("id", "id: example.roomiest\n")):
            source = self.copied("roomiest-c")
            manifest = source / "roomiest.yaml"
            self.assertIn(line, manifest.read_text())
            manifest.write_text(manifest.read_text().replace(line, ""))
            self.assertIn(f'want a line "{key}: ..."', self.configure(source, fails=True))
            shutil.rmtree(source)

    def test_manifest_of_another_format_is_refused(self):
        source = self.copied("roomiest-c")
        manifest = source / "roomiest.yaml"
        manifest.write_text(manifest.read_text().replace("tenon.module/v1", "tenon.module/v9"))
        self.assertIn("tenon.module/v9", self.configure(source, fails=True))

    def test_symbol_that_is_nowhere_is_an_error_when_linking(self):
        source = self.copied("roomiest-c")
        code = source / "module.c"
        code.write_text(code.read_text().replace("(void)self;", "(void)self; extern void nowhere(void); nowhere();", 1))
        self.configure(source)
        self.assertIn("nowhere", run(ARGUMENTS.cmake, "--build", source / "build", fails=True))

    def test_sessions_of_the_cookbook(self):
        tree = self.folder / "cookbook"
        shutil.copytree(ROOT / "sdk/examples", tree / "sdk/examples")
        there = os.environ | {"PATH": f"{ARGUMENTS.build / 'bin'}:{os.environ['PATH']}", "CC": str(ARGUMENTS.cc),
                              "CXX": str(ARGUMENTS.cxx), "CMAKE_GENERATOR": "Ninja"}
        session = page_session.Session(instead=(("/path/to/installed/tenon", f"'{self.prefix}'"),), each_block_at_start=True)
        self.assertGreater(page_session.play(ROOT / "docs/cookbook.md", tree, there, session), 15)
        for example in re.findall(r"^\$ cd (sdk/examples/\S+)$", (ROOT / "docs/cookbook.md").read_text(), flags=re.M):
            self.expect_module(tree / example, pathlib.Path(example).name)

    def test_documents_list_the_examples_as_they_are(self):
        self.assertEqual(documented_examples.main(), 0)

    def test_listing_that_differs_is_found(self):
        document = self.folder / "a.md"
        document.write_text("<!-- LICENSE -->\n```text\nmine\n```\n\n<!-- nowhere.c -->\n```c\nint a;\n```\n")
        found = documented_examples.complaints(ROOT, document)
        self.assertEqual(len(found), 2, found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--build", type=pathlib.Path, required=True, help="a configured build folder of Tenon")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    ARGUMENTS, others = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *others])
