# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Builds of a module, packs of them, and archives that no `tenon plugin pack` wrote."""

import io
import os
import pathlib
import re
import subprocess
import tarfile
import tempfile
import unittest

from daemon import Daemon

MODULE = "example.least-attribute"


def member(name: str, content: bytes = b"", **header) -> tuple[tarfile.TarInfo, bytes]:
    out = tarfile.TarInfo(name)
    out.size = len(content)
    for key, value in header.items():
        setattr(out, key, value)
    return out, content


def archive(members, form: int = tarfile.USTAR_FORMAT) -> bytes:
    """What another program than `tenon plugin pack` writes: Python's tarfile."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as to:
        for about, content in members:
            to.addfile(about, io.BytesIO(content))
    return out.getvalue()


class PackCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tenon-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.modules = self.folder / "modules"
        (self.folder / "LICENSE").write_text("Do as you like.\n")

    def tenon(self, *words, code: int = 0) -> str:
        """What the command says; a refusal has its three parts."""
        done = subprocess.run([Daemon.tenon, *map(str, words)], capture_output=True, text=True, cwd=self.folder,
                              env=os.environ | {"XDG_CACHE_HOME": str(self.folder / "cache")})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        if code:
            for part in ("want", "fix") if words[0] == "config" else ("want", "have", "fix"):
                self.assertRegex(done.stderr, rf"(?m)^  {part}: +\S", done.stderr)
        return done.stdout + done.stderr

    def built(self, version: str = "1.0.0", change=lambda library: library, **manifest: str) -> pathlib.Path:
        """A build of the module with this version; its sealed manifest."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        library = change((Daemon.zoo / "least-attribute.so").read_bytes().replace(b"1.0.0\0", version.encode() + b"\0"))
        (folder / "least-attribute.so").write_bytes(library)
        text = (Daemon.zoo / "least-attribute.yaml").read_text()
        for key, value in ({"version": version} | manifest).items():
            line = rf"(?m)^{key}: .*$"
            text = re.sub(line, f"{key}: {value}", text) if re.search(line, text) else f"{text}{key.replace('_', '-')}: {value}\n"
        file = folder / "least-attribute.yaml"
        file.write_text(text)
        self.tenon("plugin", "seal", file)
        return file

    def packed(self, manifest: pathlib.Path, *options, name: str = "") -> pathlib.Path:
        pack = self.folder / (name or f"{manifest.parent.name}.tar")
        self.tenon("plugin", "pack", manifest, "--license", "LICENSE", "--output", pack, *options)
        return pack

    def install(self, pack: pathlib.Path, *options, code: int = 0) -> str:
        return self.tenon("plugin", "install", pack, "--module-path", "modules", "--no-verify", *options, code=code)

    def parts(self, pack: pathlib.Path) -> dict[str, bytes]:
        with tarfile.open(pack) as of:
            return {one.name.partition("/")[2]: of.extractfile(one).read() for one in of.getmembers()}

    def in_use(self) -> str:
        return re.search(rf"(?m)^{MODULE} (\S+)", self.tenon("plugin", "list", "--module-path", "modules"))[1]

    def deploy(self) -> pathlib.Path:
        (self.folder / "queues.yaml").write_text("partitions:\n  - name: default\n    nodesortpolicy: {type: least-attribute}\n"
                                                 "    queues: [{name: root, submitacl: '*', queues: [{name: a}]}]\n")
        self.modules.mkdir(exist_ok=True)
        out = self.folder / "tenon.yaml"
        out.write_text(f"apiVersion: tenon/v1\nmodule_path: [modules]\nmodules: [{{id: {MODULE}}}]\npolicy_groups: {{default: queues.yaml}}\n")
        return out
