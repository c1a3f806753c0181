#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Makes the Debian packages, installs them into a clean root and works from them alone, as a vendor would."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("cmake", "tests/cli", "tests/documents", "tests/style")]
import installed_docs  # noqa: E402
import linkage  # noqa: E402
import page_session  # noqa: E402
from cases import run_cases  # noqa: E402

ARGUMENTS = argparse.Namespace()
RUST_KINDS = ("queue-sort", "app-sort", "node-sort", "predicate", "placement-rule")
KINDS = ("queue-sort", "app-sort", "node-sort", "predicate", "placement-rule", "identity", "event-sink", "transport")


def run(*command, fails: bool = False, cwd=None, env=None) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=cwd, env=env)
    if (done.returncode != 0) != fails:
        raise AssertionError(f"{' '.join(map(str, command))} gave {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def field(package: pathlib.Path, name: str) -> str:
    return run("dpkg-deb", "--field", package, name).strip()


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tenon packages ")  # blanks must do no harm
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        made = cls.folder / "made"
        run(ARGUMENTS.cpack, "--config", ARGUMENTS.build / "CPackConfig.cmake", "-B", made)
        cls.packages = {field(p, "Package"): p for p in made.glob("*.deb")}
        cls.root = cls.installed("root", cls.packages, "--force-depends")
        cls.usr = cls.root / "usr"
        cls.tenon = cls.usr / "bin/tenon"
        cls.environment = cls.environment_of(cls.root)

    @classmethod
    def installed(cls, name: str, packages, *options) -> pathlib.Path:
        """A clean root with these packages. Of all others it has what this machine has, so that dpkg looks at dependencies."""
        root = cls.folder / name
        for part in ("info", "updates", "triggers"):
            (root / "var/lib/dpkg" / part).mkdir(parents=True)
        (root / "var/lib/dpkg/available").touch()
        ours = r"Package: (?:" + "|".join(map(re.escape, cls.packages)) + r")\n"
        status = pathlib.Path("/var/lib/dpkg/status").read_text().split("\n\n")
        (root / "var/lib/dpkg/status").write_text("\n\n".join(one for one in status if not re.match(ours, one)))
        run("dpkg", f"--root={root}", "--force-not-root", "--force-unsafe-io", "--force-script-chrootless", "--log=/dev/null", *options,
            "--install", *(cls.packages[package] for package in packages))
        return root

    @classmethod
    def environment_of(cls, root: pathlib.Path) -> dict:
        return {
            "PATH": f"{root / 'usr/bin'}:{os.environ['PATH']}",
            "HOME": str(cls.folder),
            "CMAKE_PREFIX_PATH": str(root / "usr"),
            "CMAKE_GENERATOR": "Ninja",
            "CC": ARGUMENTS.cc,
            "CXX": ARGUMENTS.cxx,
            "PKG_CONFIG_PATH": str(root / "usr/lib/pkgconfig"),
        }

    def here(self, *command, cwd=None, fails: bool = False) -> str:
        return run(*command, cwd=cwd or self.folder, env=self.environment, fails=fails)

    def test_there_are_six_with_what_they_should_have(self):
        self.assertEqual(set(self.packages), {"tenon", "tenon-plugins", "libtenon", "tenon-proto", "tenon-sdk", "python3-tenon"})
        for path in ("bin/tenon", "bin/tenon-preflight", "bin/tenon-module-runner", "lib/tenon/libtenon_kernel.so", "lib/tenon/modules/node-fair.so",
                     "lib/tenon/modules/node-fair.yaml", "include/tenon/abi/module.h", "lib/tenon/libtenon_proto.so.0",
                     "share/tenon/proto/si/v1/si.proto", "lib/pkgconfig/tenon-sdk.pc",
                     "share/tenon/templates/CMakeLists.txt", "share/bash-completion/completions/tenon", "share/zsh/vendor-completions/_tenon", "share/man/man1/tenon.1",
                     "lib/libtenon.so.0", "include/tenon/rm/tenon.h", "lib/python3/dist-packages/tenon/manager.py",
                     "lib/python3/dist-packages/tenon/si/v1later/si_pb2.py",
                     "share/doc/tenon/copyright", "share/doc/tenon/docs/dashboard.png", "share/doc/tenon/docs/packing-default.svg", "share/doc/tenon/docs/monitoring/alerts.yaml",
                     "share/doc/tenon/docs/modules/ring.md", "share/doc/tenon/examples/local.yaml", "share/doc/tenon-sdk/examples/roomiest-c/module.c",
                     "share/tenon/rust/tenon-sdk/Cargo.toml", "share/doc/tenon-sdk/examples/detour-rust/src/lib.rs"):
            self.assertTrue((self.usr / path).is_file(), path)
        for name, package in self.packages.items():
            self.assertIn("Tenon", field(package, "Description"), name)

    def test_the_daemon_comes_with_its_unit_its_user_and_a_deployment_that_can_be_served(self):
        for path in ("usr/lib/systemd/system/tenon.service", "usr/lib/sysusers.d/tenon.conf"):
            self.assertTrue((self.root / path).is_file(), path)
        listed = run("dpkg-query", f"--admindir={self.root}/var/lib/dpkg", "-W", "-f", "${Conffiles}", "tenon")
        for name in ("tenon.yaml", "queues.yaml"):
            self.assertIn(f"/etc/tenon/{name} ", listed)
        if shutil.which("systemd-sysusers"):
            self.assertIn("tenon:", (self.root / "etc/passwd").read_text())
        self.assertIn("can be served", self.here(self.tenon, "serve", "--check", "-c", self.root / "etc/tenon/tenon.yaml"))

    def test_apt_installs_them_from_their_folder(self):
        """Into the lists of an apt of its own, as tools/package says; what would be installed, not the installation."""
        made = next(iter(self.packages.values())).parent
        said = run(ROOT / "tools/package", "--index", made)
        source = re.search(r"echo '(deb .*)'", said)[1]
        own = self.folder / "apt"
        for part in ("etc/apt/preferences.d", "lists/partial", "archives/partial"):
            (own / part).mkdir(parents=True)
        (own / "etc/apt/sources.list").write_text(source + "\n")
        status = self.root.parent / "status"
        shutil.copy("/var/lib/dpkg/status", status)
        options = [word for name, value in (
            ("Dir::Etc::sourcelist", own / "etc/apt/sources.list"), ("Dir::Etc::sourceparts", "-"), ("Dir::State::lists", own / "lists"),
            ("Dir::State::status", status), ("Dir::Cache", own), ("APT::Sandbox::User", "")) for word in ("-o", f"{name}={value}")]
        run("apt-get", *options, "update")
        told = run("apt-get", *options, "--simulate", "--no-install-recommends", "install", "tenon", "python3-tenon")
        for name in ("tenon", "tenon-plugins", "tenon-proto", "python3-tenon"):
            self.assertRegex(told, rf"(?m)^Inst {name} ")
        self.assertIn("want: a folder of Debian packages", run(ROOT / "tools/package", "--index", own, fails=True))

    def test_they_depend_on_packages_that_exist(self):
        needed = field(self.packages["tenon"], "Depends")
        self.assertIn("tenon-plugins (=", needed)
        self.assertIn("libc6", needed)
        for one in re.findall(r"(?:^|, )([a-z0-9.+-]+)", needed):
            if one not in self.packages:
                self.assertIn("installed", run("dpkg-query", "-W", "-f", "${Status}", one), one)

    def test_what_a_package_depends_on_is_enough_to_serve(self):
        named, at = ["tenon"], 0
        while at < len(named):
            named += [one for one in self.needs(named[at]) if one in self.packages and one not in named]
            at += 1
        self.assertEqual(named, ["tenon", "tenon-plugins", "tenon-proto"])
        root = self.installed("least", named)
        said = run(root / "usr/bin/tenon", "serve", "--check", "-c", root / "etc/tenon/tenon.yaml", env=self.environment_of(root))
        self.assertIn("can be served", said)

    def needs(self, package: str) -> list[str]:
        return re.findall(r"(?:^|, )([a-z0-9.+-]+)", field(self.packages[package], "Depends"))

    def test_nothing_in_them_knows_where_it_was_built(self):
        for file in [self.usr / "bin/tenon", self.usr / "lib/tenon/libtenon_kernel.so",
                     *(self.usr / "lib/tenon/modules").glob("*.so")]:
            paths = run("readelf", "-d", file)
            self.assertNotIn(str(ARGUMENTS.build), paths)
            self.assertNotIn(str(ROOT).encode(), file.read_bytes(), file.name)
        found = linkage.needed(self.usr / "lib/tenon/libtenon_kernel.so")
        self.assertLessEqual(found, linkage.KERNEL)

    def test_the_program_runs(self):
        self.assertRegex(self.here(self.tenon, "--version"), r"^tenon \d")
        modules = json.loads(self.here(self.tenon, "plugin", "list", "--json"))["modules"]
        self.assertTrue(all(m["built_in"] and m["manifest"].startswith(str(self.usr)) for m in modules), modules)
        self.assertIn("placed    50", self.here(self.tenon, "simulate", "--no-progress", "--nodes", "20", "--pods", "50"))
        self.here(self.tenon, "plugin", "explain")

    def new(self, kind: str, language: str) -> pathlib.Path:
        name = f"acme-{kind}-{language.replace('+', 'p')}"
        folder = self.folder / self.id().rpartition(".")[2]
        folder.mkdir(exist_ok=True)
        self.here(self.tenon, "plugin", "new", name, "--kind", kind, "--lang", language, cwd=folder)
        return folder / name

    def try_project(self, project: pathlib.Path):
        self.here(ARGUMENTS.cmake, "-B", "build", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", cwd=project)
        compiled = project / "build/compile_commands.json"  # none of a project in Rust, which cargo builds
        self.assertTrue(not compiled.exists() or "-O2" in compiled.read_text(), "a policy is built without optimisation")
        self.assertNotIn("warning", self.here(ARGUMENTS.cmake, "--build", "build", cwd=project))
        self.here(ARGUMENTS.ctest, "--test-dir", "build", "--output-on-failure", "--no-tests=error", cwd=project)
        manifest = project / "build" / f"{project.name}.yaml"
        self.assertIn("good\n", self.here(self.tenon, "plugin", "lint", manifest))
        self.here(self.tenon, "plugin", "verify", manifest)
        if "tenon_add_pack" in (project / "CMakeLists.txt").read_text():
            self.here(ARGUMENTS.cmake, "--build", "build", "--target", "pack", cwd=project)
            self.assertEqual(len(list((project / "build").glob("acme.*.tar"))), 1)

    def test_the_workflow_of_a_new_project_builds_tests_and_packs_what_a_customer_installs(self):
        project = self.new("predicate", "c")
        commands = re.findall(r"(?m)^        run: (.+)$", (project / ".github/workflows/build.yaml").read_text())
        self.assertEqual(len([one for one in commands if one != "|"]), 3)
        for command in commands:
            if command != "|":  # what it installs is here
                self.here("sh", "-c", command, cwd=project)
        pack = project / "build/acme.predicate-c-0.1.0.tar"
        said = self.here(self.tenon, "plugin", "install", pack, "--module-path", project / "modules")
        self.assertIn("acme.predicate-c 0.1.0: in use in", said)

    def test_new_projects_build_and_pass_as_they_come(self):
        for kind in KINDS:
            for language in ("c++", "c"):
                with self.subTest(kind=kind, language=language):
                    self.try_project(self.new(kind, language))

    def test_new_projects_in_rust_and_the_example_build_and_pass(self):
        # The distribution's programs, which come first for those who have others.
        self.environment["PATH"] = f"/usr/bin:/bin:{self.environment['PATH']}"
        self.addCleanup(self.environment.update, PATH=self.environment["PATH"].removeprefix("/usr/bin:/bin:"))
        for kind in RUST_KINDS:
            with self.subTest(kind=kind):
                self.try_project(self.new(kind, "rust"))
        project = self.folder / "detour"
        shutil.copytree(self.usr / "share/doc/tenon-sdk/examples/detour-rust", project)
        self.try_project(project)
        environment = self.environment | {"PKG_CONFIG_PATH": str(self.plain_usr() / "lib/pkgconfig")}
        for command in self.commands_without_cmake("cargo rustc"):
            run("sh", "-c", command, cwd=project, env=environment)
        self.assertIn("good\n", self.here(self.tenon, "plugin", "lint", project / "detour.yaml"))

    def commands_without_cmake(self, first: str) -> list[str]:
        """The block of the page about policies that begins so."""
        page = (ROOT / "docs/writing-a-policy.md").read_text()
        block = next(one for one in re.findall(r"^```console\n(.*?)^```$", page, flags=re.M | re.S) if one.startswith(f"$ {first}"))
        return re.findall(r"^\$ (.*)$", block, flags=re.M)

    def test_the_example_of_a_source_of_groups_passes(self):
        project = self.folder / "group-file"
        shutil.copytree(self.usr / "share/doc/tenon-sdk/examples/group-file", project)
        self.here(ARGUMENTS.cmake, "-B", "build", cwd=project)
        self.here(ARGUMENTS.cmake, "--build", "build", cwd=project)
        self.here(ARGUMENTS.ctest, "--test-dir", "build", "--output-on-failure", "--no-tests=error", cwd=project)

    def test_their_tests_can_fail(self):
        project = self.new("node-sort", "c++")
        (project / "module.cpp").write_text((project / "module.cpp").read_text().replace("return amounts", "return -amounts"))
        self.here(ARGUMENTS.cmake, "-B", "build", cwd=project)
        self.here(ARGUMENTS.cmake, "--build", "build", cwd=project)
        self.here(ARGUMENTS.ctest, "--test-dir", "build", cwd=project, fails=True)

    def plain_root(self) -> pathlib.Path:
        """The clean root by a name without blanks: pkg-config cannot quote them in a link option, nor do pages."""
        plain = pathlib.Path(tempfile.mkdtemp(prefix="tenon-"))
        self.addCleanup(shutil.rmtree, plain)
        (plain / "root").symlink_to(self.root)
        return plain / "root"

    def plain_usr(self) -> pathlib.Path:
        return self.plain_root() / "usr"

    def test_module_in_rust_from_the_c_headers_alone(self):
        project = self.folder / "quarantine-rust"
        shutil.copytree(self.usr / "share/doc/tenon-sdk/examples/quarantine-rust", project)
        environment = self.environment | {"PKG_CONFIG_PATH": str(self.plain_usr() / "lib/pkgconfig"), "PATH": "/usr/bin:/bin"}
        run("cargo", "build", "--release", "--offline", cwd=project, env=environment)
        built = project / "modules"
        built.mkdir()
        for file in ("target/release/libquarantine.so", "quarantine.yaml"):
            shutil.copy(project / file, built)
        self.here(self.tenon, "plugin", "seal", built / "quarantine.yaml")
        self.assertIn("good\n", self.here(self.tenon, "plugin", "lint", built / "quarantine.yaml"))
        self.here(self.tenon, "plugin", "verify", built / "quarantine.yaml")
        self.here(self.tenon, "scenario", "run", project / "tests", "--deployment", project / "tenon.yaml",
                  "--module-path", built)

    def named_on(self, page: str) -> list[str]:
        """The packages of ours that a reader of the page installs."""
        named = re.search(r"^# apt install (.*)$", (ROOT / page).read_text(), flags=re.M)[1]
        return [package for package in re.findall(r"\./([\w-]+)_\*\.deb", named)]

    def root_of(self, page: str) -> pathlib.Path:
        """A clean root with what the page says, and no more."""
        named = self.named_on(page)
        for package in named:
            for one in self.needs(package):
                if one in self.packages:
                    self.assertIn(one, named, f"{page} leaves out a package that {package} needs")
                elif subprocess.run(["dpkg-query", "-W", one], capture_output=True).returncode:
                    self.skipTest(f"{one}, which {package} needs, is not installed")
        root = self.installed(pathlib.Path(page).stem, named)
        said = run(root / "usr/bin/tenon", "serve", "--check", "-c", root / "etc/tenon/tenon.yaml", env=self.environment_of(root))
        self.assertIn("can be served", said)
        return root

    def play(self, page: str, root: pathlib.Path, session: page_session.Session, **more) -> int:
        here = root / "played"
        here.mkdir()
        return page_session.play(root / "usr" / installed_docs.place(page), here, self.environment_of(root) | more, session)

    def test_every_command_of_the_tutorial(self):
        root = self.root_of("docs/tutorial.md")
        self.assertGreater(self.play("docs/tutorial.md", root, page_session.Session()), 25)

    def test_every_command_of_the_page_about_resource_managers(self):
        root = self.root_of("docs/writing-an-rm.md")
        # The distribution's Python, for which grpcio is a package.
        played = self.play("docs/writing-an-rm.md", root, page_session.Session(), PATH=f"{root / 'usr/bin'}:/usr/bin:/bin",
                           PYTHONPATH=str(root / "usr/lib/python3/dist-packages"), PYTHONDONTWRITEBYTECODE="1")
        self.assertGreater(played, 15)

    def test_every_command_of_the_first_page(self):
        deployment = self.usr / "share/doc/tenon/examples/local.yaml"
        deployment.write_text(deployment.read_text().replace("127.0.0.1:9080", "127.0.0.1:0"))  # a port that others may have
        plain = self.plain_root()
        session = page_session.Session(instead=(("/usr/", f"{plain}/usr/"), ("/etc/", f"{plain}/etc/")),
                                       after=(("tenon serve -c local", page_session.until_socket("control.sock")),))
        self.assertGreater(self.play("cli/service/installed.md", self.root, session), 4)

    def test_a_module_without_the_library_that_it_needs_says_which_package_has_it(self):
        root = self.installed("without proto", ("tenon", "tenon-plugins"), "--force-depends")
        said = run(root / "usr/bin/tenon", "serve", "--check", "-c", root / "etc/tenon/tenon.yaml",
                   env=self.environment_of(root), fails=True)
        self.assertIn("fix:  install the package tenon-proto, which has libtenon_proto.so.0", said)

    def test_installed_pages_name_what_is_installed(self):
        pages = sorted((self.usr / "share").rglob("*.md"))
        self.assertGreater(len(pages), 50)
        wrong = [f"{page.relative_to(self.usr)}: {what}" for page in pages for what in self.missing(page, page.read_text())]
        for text in ((self.root / "etc/tenon").iterdir(), (self.usr / "lib/systemd/system").iterdir()):
            wrong += [f"{file}: {what}" for file in text for what in self.missing(file, file.read_text())]
        self.assertEqual("\n".join(wrong), "")

    def test_a_page_that_names_what_is_not_installed_is_found(self):
        page = self.usr / "share/doc/tenon/docs/serve.md"
        text = "[a](rest.md) [b](no.md#x) `/usr/bin/tenon` `/usr/bin/nothing` `/etc/tenon/none.yaml`\n`tests/cli` `tests/rest` (source tree)\n" \
               "`tools/setup` of the source tree, `build/mine.so`\n```console\n$ tests/cost/gate.py\n```\n"
        self.assertEqual(list(self.missing(page, text)), ["no.md#x", "/usr/bin/nothing", "/etc/tenon/none.yaml", "tests/cli",
                                                          "tests/cost/gate.py"])

    def missing(self, page: pathlib.Path, text: str):
        """Links and paths of an installed page that lead nowhere, but for those that are said to be in the source tree."""
        text = re.sub(r"^<!-- [^\n]* -->\n", "", text, flags=re.M)  # for tests; no reader sees them
        text = re.sub(r"^In the source tree:\n\n```\w*\n.*?^```$", "", text, flags=re.M | re.S)
        for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text)) if page.suffix == ".md" else ():
            if not re.match(r"#|[a-z]+:", link) and not (page.parent / link.partition("#")[0]).exists():
                yield link
        configurations = re.sub(r"^```yaml\n.*?^```$", "", text, flags=re.M | re.S)  # name files that their owner makes
        for path in re.findall(r"(?<![\w./<-])/(?:usr|etc/tenon)(?:/[\w.+-]*\w)+", configurations):
            if not (self.root / path[1:]).exists():
                yield path
        for found in re.finditer(r"(?<![\w./{>-])(?:kernel|sdk|plugins|cli|tests|tools|cmake|docs)/[\w./-]*\w", text):
            said = re.match(r"(?:[^`\n]*`)?\s*(?:\(source tree\)|of the source tree)", text[found.end():])
            if (ROOT / found[0]).exists() and not said and not (self.usr / installed_docs.HERE / found[0]).exists():
                yield found[0]

    def test_resource_managers_with_the_scheduler_in_their_process(self):
        for example, source in (("rm-cpp", "main.cpp"), ("rm-c", "main.c")):
            with self.subTest(example=example):
                project = self.folder / example
                shutil.copytree(self.usr / f"share/doc/tenon-sdk/examples/{example}", project)
                self.here(ARGUMENTS.cmake, "-B", "build", cwd=project)
                self.assertNotIn("warning", self.here(ARGUMENTS.cmake, "--build", "build", cwd=project))
                said = self.here(project / "build/manager", cwd=project)
                self.assertIn("ask-0 still runs on node-1", said)
                self.assertIn("ask-1 is started on node-1", said)
                compiler = "$CXX -std=c++20" if source.endswith("cpp") else "$CC"
                environment = self.environment | {"PKG_CONFIG_PATH": str(self.plain_usr() / "lib/pkgconfig")}
                run("sh", "-c", f"{compiler} $(pkg-config --cflags tenon) {source} -o by-hand $(pkg-config --libs tenon)",
                    cwd=project, env=environment)

    def test_pkg_config_and_seal_do_without_cmake(self):
        project = self.folder / "by hand"
        shutil.copytree(self.usr / "share/doc/tenon-sdk/examples/roomiest-c", project)
        environment = self.environment | {"PKG_CONFIG_PATH": str(self.plain_usr() / "lib/pkgconfig")}
        run("sh", "-c", """eval "$CC $(pkg-config --cflags tenon-sdk) -DTENON_MODULE_VERSION='\\"1.0.0\\"' module.c """
            """-o roomiest.so $(pkg-config --libs tenon-sdk)\"""",
            cwd=project, env=environment)
        self.here(self.tenon, "plugin", "seal", "roomiest.yaml", cwd=project)
        self.assertIn("good\n", self.here(self.tenon, "plugin", "lint", "roomiest.yaml", cwd=project))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="a build folder of Tenon")
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--cpack", default="cpack")
    parser.add_argument("--ctest", default="ctest")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--cxx", default="c++")
    ARGUMENTS, others = parser.parse_known_args()
    missing = [program for program in ("dpkg", "dpkg-deb", "dpkg-shlibdeps") if not shutil.which(program)]
    if missing:
        print(f"skipped: no {', '.join(missing)}; tools/setup says what installs it")
        sys.exit(77)
    run_cases(others)
