#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""The crate tenon-sdk with the compiler of the distribution: its layout against the C headers, its own tests, and modules
that strangers build with it."""

import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import bindings

ROOT = bindings.ROOT
CRATE = ROOT / "sdk/rust/tenon-sdk"
sys.path.insert(0, str(ROOT / "tests/style"))
import linkage  # noqa: E402

ARGUMENTS = argparse.Namespace()
KINDS = ("queue-sort", "app-sort", "node-sort", "predicate", "placement-rule")
# The distribution's programs come first: they are the oldest that the crate serves.
PATH = f"/usr/bin:/bin:{os.environ.get('PATH', '')}"
CARGO = shutil.which("cargo", path=PATH)


class Rust(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tenon rust ")  # blanks must do no harm
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.tenon = ARGUMENTS.build / "bin/tenon"
        (cls.folder / "home").mkdir()
        # rustup looks for its compilers, and cargo for its settings, below the home that there was.
        cls.environment = {"PATH": PATH, "HOME": str(cls.folder / "home"), "CMAKE_GENERATOR": "Ninja"} | {
            name: os.environ.get(name) or str(pathlib.Path.home() / folder)
            for name, folder in (("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo"))}
        cls.prefix = cls.folder / "prefix"
        cls.run_here(ARGUMENTS.cmake, "--install", ARGUMENTS.build, "--component", "sdk", "--prefix", cls.prefix)
        cls.crate = cls.folder / "crate"
        shutil.copytree(CRATE, cls.crate)

    @classmethod
    def run_here(cls, *command, cwd=None, fails: bool = False) -> str:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=cwd or cls.folder, env=cls.environment)
        if (done.returncode != 0) != fails:
            raise AssertionError(f"{' '.join(map(str, command))} gave {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def copied(self, source: pathlib.Path = ROOT / "sdk/examples/detour-rust") -> pathlib.Path:
        target = self.folder / self.id().rpartition(".")[2] / source.name
        shutil.copytree(source, target)
        return target

    def configure(self, project: pathlib.Path, fails: bool = False) -> str:
        return self.run_here(ARGUMENTS.cmake, "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}",
                             f"-DTENON_PROGRAM={self.tenon}", fails=fails)

    def build(self, project: pathlib.Path):
        self.configure(project)
        self.assertNotIn("warning", self.run_here(ARGUMENTS.cmake, "--build", project / "build"))

    def play(self, project: pathlib.Path, deployment: str, fails: bool = False) -> str:
        (project / "other.yaml").write_text(deployment)
        return self.run_here(self.tenon, "scenario", "run", project / "tests", "--deployment", project / "other.yaml",
                             "--module-path", project / "build", fails=fails)

    # The crate

    def test_the_crate_is_of_the_version_of_the_tree(self):
        version = re.search(r"^project\(tenon VERSION ([\d.]+) ", (ROOT / "CMakeLists.txt").read_text(), flags=re.M)[1]
        self.assertIn(f'version = "{version}"\n', (CRATE / "Cargo.toml").read_text())

    def test_what_the_crate_says_of_itself_holds(self):
        said = self.run_here(CARGO, "test", "--offline", cwd=self.crate)
        self.assertRegex(said, r"test result: ok\. \d\d passed")
        self.assertNotIn("warning", said)

    def test_structs_and_constants_are_those_of_the_headers(self):
        said = bindings.said_by(CARGO, self.crate, self.environment)
        self.assertGreater(len(said.splitlines()), 250)
        self.assertEqual(bindings.complaints(said, bindings.measured(ARGUMENTS.cc)), [])

    def test_headers_that_moved_on_are_found(self):
        said = bindings.said_by(CARGO, self.crate, self.environment)
        for old, new, want in (
            ("  uint64_t name_length;   /* preset", "  uint64_t more;\n  uint64_t name_length;   /* preset", "tenon_place_out: size 40"),
            ("  uint32_t scope; /*", "  int32_t scope; /*", "tenon_column_use: (4, 'scope', 'uint32_t')"),
            ("*name;             /* room", "*called;             /* room", "tenon_place_out: (8, 'name', 'char*')"),
            ("const tenon_place_in *, tenon_place_out *out", "tenon_place_in *, tenon_place_out *out", "tenon_placement_rule_v1: (8, 'place'"),
            ("TENON_QUEUE_STOPPED 3u", "TENON_QUEUE_STOPPED 4u", "TENON_QUEUE_STOPPED: 3"),
            ('"tenon.app-sort/1"', '"tenon.app-sort/2"', "TENON_APP_SORT: tenon.app-sort/1"),
        ):
            with self.subTest(new=new):
                whole = "".join(header.read_text() for header in bindings.HEADERS.glob("*.h"))
                self.assertEqual(whole.count(old), 1)
                found = bindings.complaints(said, bindings.measured(ARGUMENTS.cc, lambda text: text.replace(old, new)))
                self.assertTrue(any(one.startswith(want) for one in found), found)

    # The example

    def test_the_example_builds_and_passes(self):
        project = self.copied()
        self.build(project)
        library, manifest = project / "build/detour.so", project / "build/detour.yaml"
        self.assertEqual(linkage.exported(library), {"tenon_module_v1"})
        self.assertLessEqual(linkage.needed(library), linkage.RUNTIME)
        self.assertIn(f"digest: sha256:{hashlib.sha256(library.read_bytes()).hexdigest()}\n", manifest.read_text())
        self.assertIn("good\n", self.run_here(self.tenon, "plugin", "lint", manifest))
        self.run_here(ARGUMENTS.ctest, "--test-dir", project / "build", "--output-on-failure", "--no-tests=error")

    def test_the_identity_builds_and_passes(self):
        project = self.copied(ROOT / "sdk/examples/group-file-rust")
        self.build(project)
        self.assertIn("good\n", self.run_here(self.tenon, "plugin", "lint", project / "build/group-file-rust.yaml"))
        self.run_here(ARGUMENTS.ctest, "--test-dir", project / "build", "--output-on-failure", "--no-tests=error")
        said = self.run_here(self.tenon, "plugin", "verify", project / "build/group-file-rust.yaml", "--verbose", "--filter", "^identity-",
                             "--config", project / "tests/verify.yaml", "--user", "alice", "--user", "bob", cwd=project)
        self.assertNotIn("skipped   ", said)
        self.assertGreaterEqual(said.count("passed    identity-"), 7)

    def test_the_example_decides_the_same_in_the_process_and_in_one_of_its_own(self):
        project = self.copied()
        self.build(project)
        for isolation in ("none", "process"):
            self.play(project, f"apiVersion: tenon/v1\nmodules: [{{ id: example.detour, isolation: {isolation} }}]\n")
        scenario = project / "tests/detour-works.yaml"
        scenario.write_text(scenario.read_text().replace("late: {queue: root.spare.night}", "late: {queue: root.day.batch}"))
        for isolation in ("none", "process"):
            said = self.play(project, f"apiVersion: tenon/v1\nmodules: [{{ id: example.detour, isolation: {isolation} }}]\n", fails=True)
            self.assertIn("late", said)

    def test_two_builds_in_two_folders_are_the_same_bytes(self):
        first, second = self.copied(), self.folder / "elsewhere/far away"
        shutil.copytree(first, second)
        self.build(first)
        self.build(second)
        self.assertEqual((first / "build/detour.so").read_bytes(), (second / "build/detour.so").read_bytes())

    def test_installed_module_is_the_sealed_one(self):
        project = self.copied()
        self.build(project)
        self.run_here(ARGUMENTS.cmake, "--install", project / "build", "--prefix", project / "out", "--strip")
        installed = project / "out/lib/tenon/modules"
        self.assertIn(hashlib.sha256((installed / "detour.so").read_bytes()).hexdigest(), (installed / "detour.yaml").read_text())

    def test_versions_that_differ_are_refused_by_name(self):
        project = self.copied()
        cargo = project / "Cargo.toml"
        cargo.write_text(cargo.read_text().replace('version = "1.0.0"', 'version = "1.0.1"'))
        self.assertIn('want "version = "1.0.0"", which detour.yaml says', " ".join(self.configure(project, fails=True).split()))

    def test_a_module_that_would_abort_does_not_compile(self):
        project = self.copied()
        cargo = project / "Cargo.toml"
        cargo.write_text(cargo.read_text() + 'panic = "abort"\n')
        self.configure(project)
        self.assertIn('want panic = "unwind"', self.run_here(ARGUMENTS.cmake, "--build", project / "build", fails=True))

    def test_several_orders_with_all_that_the_crate_has(self):
        project = self.copied(pathlib.Path(__file__).resolve().parent / "orders")
        self.build(project)
        self.run_here(ARGUMENTS.ctest, "--test-dir", project / "build", "--output-on-failure", "--no-tests=error")
        for isolation in ("none", "process"):
            self.play(project, f"apiVersion: tenon/v1\nmodules: [{{ id: test.orders, isolation: {isolation} }}]\n")

    # Projects of strangers

    def new(self, kind: str) -> pathlib.Path:
        folder = self.folder / self.id().rpartition(".")[2]
        folder.mkdir(exist_ok=True)
        said = self.run_here(self.tenon, "plugin", "new", f"acme-{kind}", "--kind", kind, "--language", "rust", "--directory", folder)
        self.assertIn(f"a{'n' if kind[0] in 'aei' else ''} {kind} policy in Rust", said)
        return folder / f"acme-{kind}"

    def test_new_projects_build_and_pass_as_they_come(self):
        for kind in KINDS:
            with self.subTest(kind=kind):
                project = self.new(kind)
                self.build(project)
                self.run_here(ARGUMENTS.ctest, "--test-dir", project / "build", "--output-on-failure", "--no-tests=error")
                self.assertIn("good\n", self.run_here(self.tenon, "plugin", "lint", project / f"build/acme-{kind}.yaml"))

    def test_a_node_order_decides_the_same_in_the_process_and_in_one_of_its_own_and_as_in_cpp(self):
        project, other = self.new("node-sort"), self.folder / "in cpp"
        other.mkdir()
        self.run_here(self.tenon, "plugin", "new", "acme-node-sort", "--kind", "node-sort", "--directory", other)
        self.build(project)
        self.build(other / "acme-node-sort")
        decided = {}
        for name, built, isolation in (("here", project, "none"), ("apart", project, "process"), ("c++", other / "acme-node-sort", "none")):
            (built / "other.yaml").write_text(f"apiVersion: tenon/v1\nmodules: [{{ id: acme.node-sort, isolation: {isolation} }}]\n")
            self.run_here(self.tenon, "simulate", "--nodes", "40", "--pods", "300", "--no-progress", "--node-sort", "acme-node-sort",
                          "--deployment", built / "other.yaml", "--module-path", built / "build", "--decisions", self.folder / name)
            decided[name] = (self.folder / name).read_text()
        self.run_here(self.tenon, "simulate", "--nodes", "40", "--pods", "300", "--no-progress", "--decisions", self.folder / "fair")
        self.assertGreater(decided["here"].count("\n"), 300)
        self.assertEqual(decided["apart"], decided["here"])
        self.assertEqual(decided["c++"], decided["here"])
        self.assertNotEqual((self.folder / "fair").read_text(), decided["here"])

    def test_a_panic_is_a_fault_that_the_host_contains(self):
        project = self.new("node-sort")
        source = project / "src/lib.rs"
        source.write_text(source.read_text().replace("let amounts =", 'assert!(row.batch().now_ms() < 0, "made to fail");\n        let amounts ='))
        self.build(project)
        self.assertIn("failed", self.run_here(self.tenon, "plugin", "verify", project / "build/acme-node-sort.yaml", fails=True))
        scenario = project / "tests/acme-node-sort-works.yaml"
        # What is left is the built-in fair order: it takes both nodes.
        scenario.write_text(scenario.read_text().replace("{small: 4, large: 1}", "{small: 2, large: 3}"))
        for isolation in ("none", "process"):
            said = self.play(project, "apiVersion: tenon/v1\nmodules:\n"
                                      f"  - {{ id: acme.node-sort, on_fault: fallback, isolation: {isolation} }}\n")
            self.assertIn("acme.node-sort: made to fail\n", said)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--ctest", default="ctest")
    parser.add_argument("--build", type=pathlib.Path, required=True, help="a build folder of Tenon")
    parser.add_argument("--cc", default="cc")
    ARGUMENTS, others = parser.parse_known_args()
    if not CARGO:
        print("skipped: no cargo; tools/setup says what installs it")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *others])
