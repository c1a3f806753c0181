#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Packs: what a vendor gives away in one file is what a customer's scheduler opens, or nothing of it is installed."""

import hashlib
import os
import pathlib
import re
import subprocess
import tarfile
import threading

from daemon import Daemon, main
from packs import MODULE, PackCase, archive, member


class Pack(PackCase):
    def test_a_pack_is_an_ordinary_archive_with_a_digest_list(self):
        manifest = self.built()
        pack = self.packed(manifest)
        name = f"{MODULE}-1.0.0"
        listed = subprocess.run(["tar", "-tf", pack], capture_output=True, text=True, check=True).stdout
        self.assertEqual(listed.split(), [f"{name}/{one}" for one in ("SHA256SUMS", "LICENSE", "least-attribute.so", "least-attribute.yaml")])
        subprocess.run(["tar", "-xf", pack], check=True, cwd=self.folder)
        subprocess.run(["sha256sum", "--strict", "-c", "SHA256SUMS"], check=True, cwd=self.folder / name, stdout=subprocess.DEVNULL)
        for file, of in (("LICENSE", self.folder), ("least-attribute.so", manifest.parent), ("least-attribute.yaml", manifest.parent)):
            self.assertEqual((self.folder / name / file).read_bytes(), (of / file).read_bytes())
        notes = subprocess.run(["readelf", "-n", manifest.with_suffix(".so")], capture_output=True, text=True, check=True).stdout
        build_id = re.search(r"Build ID: (\w+)", notes)[1]
        self.assertEqual((self.folder / name / "SHA256SUMS").read_text().splitlines()[0], f"# tenon.pack/1 {MODULE} 1.0.0 build-id:{build_id}")

    def test_the_same_files_give_the_same_bytes(self):
        manifest = self.built()
        first = self.packed(manifest, name="first.tar").read_bytes()
        for file in manifest.parent.iterdir():
            os.utime(file, (0, 0))
            file.chmod(0o700)
        self.assertEqual(self.packed(manifest, name="second.tar").read_bytes(), first)
        with tarfile.open(self.folder / "first.tar") as of:
            self.assertEqual({(one.mtime, one.mode, one.uid, one.uname) for one in of.getmembers()}, {(0, 0o644, 0, "")})
        self.assertNotIn(str(self.folder).encode(), first)

    def test_what_a_customer_s_host_would_refuse_is_not_packed(self):
        def refused(manifest: pathlib.Path, *words: str, options=("--license", "LICENSE")) -> None:
            said = self.tenon("plugin", "pack", manifest, "--output", "none.tar", *options, code=1)
            for word in words:
                self.assertIn(word, said)
            self.assertFalse((self.folder / "none.tar").exists())

        refused(self.folder / "none.yaml", "no such file")
        refused(self.built(), "--license FILE", options=())
        refused(self.built(), "no such file", options=("--license", "NONE"))
        refused(self.built("1.0"), "a version of three numbers")
        refused(self.built(abi_epoch="7").with_name("least-attribute.yaml"), "ABI epoch 1")
        changed = self.built()
        changed.with_suffix(".so").write_bytes(changed.with_suffix(".so").read_bytes() + b"x")
        refused(changed, "tenon plugin seal")
        refused(self.built(change=lambda library: library[:5000]), "ELF")
        bare = self.built()
        subprocess.run(["objcopy", "--remove-section=.note.gnu.build-id", bare.with_suffix(".so")], check=True)
        self.tenon("plugin", "seal", bare)
        refused(bare, "build id", "-Wl,--build-id")
        spaced = self.built()
        spaced.rename(spaced.with_name("least attribute.yaml"))
        refused(spaced.with_name("least attribute.yaml"), "names of letters")
        refused(self.built(), "Ed25519", "openssl genpkey", options=("--license", "LICENSE", "--key", "LICENSE"))

    def test_keys_of_the_vendor_are_kept(self):
        self.install(self.packed(self.built(x_support="https://acme.example")))
        self.assertIn("x-support: https://acme.example", self.tenon("plugin", "describe", MODULE, "--module-path", "modules"))


class Install(PackCase):
    def test_what_is_installed_schedules(self):
        pack = self.packed(self.built())
        said = self.tenon("plugin", "install", pack, "--module-path", "modules")  # with the checks
        self.assertIn(f"{MODULE} 1.0.0: in use in modules", said)
        self.assertIn(f"- id: {MODULE}", said)
        self.assertIn(f"module_path: [{self.modules}]", said)
        self.assertIn("nodesortpolicy.type", said)
        self.assertIn("signature: none", said)
        deployment = self.deploy()
        self.tenon("config", "check", deployment)
        said = self.tenon("simulate", "--deployment", deployment, "--node-sort", "least-attribute", "--nodes", 3, "--pods", 9, "--no-progress")
        self.assertIn("placed    9", said)
        self.assertIn(f"{MODULE}, order_rev 1", self.tenon("plugin", "explain", deployment))
        # Whoever runs the daemon can read the files, and only they can be written who installed them.
        for file in (self.modules / MODULE).rglob("*"):
            self.assertEqual(oct(file.stat().st_mode & 0o777), "0o755" if file.is_dir() else "0o644", file)

    def test_versions_lie_side_by_side_and_a_rollback_goes_back(self):
        for version in ("1.0.0", "1.1.0", "1.9.9"):
            self.install(self.packed(self.built(version)))
            self.assertEqual(self.in_use(), version)
        self.assertIn("; also installed: 1.0.0, 1.1.0", self.tenon("plugin", "list", "--module-path", "modules"))
        described = ("plugin", "describe", MODULE, "--module-path", "modules")
        self.assertIn("versions:    1.0.0, 1.1.0 (before), 1.9.9 (in use)", self.tenon(*described))
        self.assertIn('"versions":["1.0.0","1.1.0","1.9.9"]', self.tenon(*described, "--json"))
        back = ("plugin", "rollback", MODULE, "--module-path", "modules")
        self.assertIn("1.1.0: in use in modules, before it 1.9.9", self.tenon(*back))
        self.assertEqual(self.in_use(), "1.1.0")
        self.tenon(*back)
        self.assertEqual(self.in_use(), "1.9.9")  # once more, and it is the newer one again
        self.tenon(*back, "--to", "1.0.0")
        self.assertEqual(self.in_use(), "1.0.0")
        self.tenon(*back)
        self.assertEqual(self.in_use(), "1.9.9")
        self.assertIn("that is there: 1.0.0, 1.1.0, 1.9.9", self.tenon(*back, "--to", "2.0.0", code=1))
        self.assertIn("no version of 'acme.none'", self.tenon("plugin", "rollback", "acme.none", "--module-path", "modules", code=1))
        self.assertEqual(self.in_use(), "1.9.9")

    def test_without_a_version_before_there_is_no_way_back(self):
        self.install(self.packed(self.built()))
        self.assertIn("none; there is 1.0.0", self.tenon("plugin", "rollback", MODULE, "--module-path", "modules", code=1))

    def test_a_version_whose_files_were_changed_does_not_come_back(self):
        self.install(self.packed(self.built("1.0.0")))
        self.install(self.packed(self.built("1.1.0")))
        library = self.modules / MODULE / "1.0.0/least-attribute.so"
        library.write_bytes(library.read_bytes() + b"x")
        self.assertIn("sha256:", self.tenon("plugin", "rollback", MODULE, "--module-path", "modules", code=1))
        self.assertEqual(self.in_use(), "1.1.0")

    def test_a_version_never_gets_other_bytes(self):
        pack = self.packed(self.built())
        self.install(pack)
        self.install(pack)  # the same
        before = {file: file.read_bytes() for file in self.modules.rglob("*") if file.is_file()}
        other = self.packed(self.built(change=lambda library: library + b"x"))
        self.assertIn("a version of its own", self.install(other, code=1))
        self.assertEqual({file: file.read_bytes() for file in self.modules.rglob("*") if file.is_file()}, before)

    def test_a_lock_holds_the_version_that_it_was_made_with(self):
        deployment = self.deploy()
        self.install(self.packed(self.built("1.0.0")))
        self.tenon("plugin", "lock", deployment)
        newer = self.packed(self.built("1.1.0"))
        said = self.tenon("plugin", "install", newer, "--deployment", deployment, "--no-verify")
        self.assertIn(f"want: {MODULE} 1.0.0, as {deployment}.lock says", said)
        self.assertIn("tenon plugin lock", said)
        self.assertNotIn("Write into the deployment", said)
        self.tenon("config", "check", deployment, code=2)
        self.tenon("plugin", "lock", deployment, "--check", code=1)
        self.assertNotIn(f"as {deployment}.lock says", self.tenon("plugin", "rollback", MODULE, "--deployment", deployment))
        self.tenon("plugin", "lock", deployment, "--check")
        self.tenon("config", "check", deployment)
        self.tenon("plugin", "rollback", MODULE, "--deployment", deployment)
        self.tenon("plugin", "lock", deployment)
        self.tenon("config", "check", deployment)
        self.assertIn('version: "1.1.0"', (self.folder / "tenon.yaml.lock").read_text())

    def test_a_digest_that_the_deployment_pins_is_named(self):
        deployment = self.deploy()
        deployment.write_text(deployment.read_text().replace("least-attribute}", f"least-attribute, digest: 'sha256:{'0' * 64}'}}"))
        said = self.tenon("plugin", "install", self.packed(self.built()), "--deployment", deployment, "--no-verify")
        self.assertIn("the deployment pins another build", said)

    def test_a_module_that_fails_the_checks_is_not_installed(self):
        manifest = self.built()
        manifest.write_text(manifest.read_text().replace("order_rev: 1", "order_rev: 2"))
        pack = self.packed(manifest)
        said = self.tenon("plugin", "install", pack, "--module-path", "modules", code=1)
        self.assertIn("order_rev", said)
        self.assertIn("--no-verify", said)
        self.assertFalse(self.modules.exists())
        self.install(pack)
        self.assertEqual(self.in_use(), "1.0.0")

    def test_a_module_that_somebody_put_there_is_not_taken_over(self):
        for name, words in (("least-attribute", "remove it with its library"), (MODULE, "remove it with its library")):
            self.modules.mkdir()
            mine = self.modules / f"{name}.yaml"
            mine.write_bytes(self.built("0.9.0").read_bytes())
            self.assertIn(words, self.install(self.packed(self.built()), code=2))
            self.assertEqual([file.name for file in self.modules.rglob("*") if file.suffix == ".yaml"], [mine.name])
            mine.unlink()
            self.modules.rmdir()
        self.modules.mkdir()
        (self.modules / f"{MODULE}.yaml").write_text("a manifest that cannot be read\n")
        self.assertIn("a file that no installation wrote", self.install(self.packed(self.built()), code=2))
        self.assertEqual((self.modules / f"{MODULE}.yaml").read_text(), "a manifest that cannot be read\n")

    def test_places_that_cannot_be_installed_to_are_refused(self):
        pack = self.packed(self.built())
        self.assertIn("--module-path DIR or --deployment FILE", self.tenon("plugin", "install", pack, code=2))
        self.assertIn("modules", self.tenon("plugin", "install", pack, "--module-path", "LICENSE", "--no-verify", code=2))
        bare = self.folder / "bare.yaml"
        bare.write_text("apiVersion: tenon/v1\n")
        self.assertIn("module_path: [modules]", self.tenon("plugin", "install", pack, "--deployment", bare, code=2))
        self.assertIn("no such file", self.tenon("plugin", "install", "none.tar", "--module-path", "modules", code=2))
        self.assertIn("not a regular file", self.tenon("plugin", "install", self.folder, "--module-path", "modules", code=2))

    def test_there_is_a_whole_module_at_every_moment(self):
        self.install(self.packed(self.built("1.0.0")))
        self.install(self.packed(self.built("1.1.0")))
        over = threading.Event()

        def turn() -> None:
            while not over.is_set():
                self.tenon("plugin", "rollback", MODULE, "--module-path", "modules")

        turning = threading.Thread(target=turn)
        turning.start()
        try:
            seen = set()
            for _ in range(20):
                seen.add(self.in_use())
        finally:
            over.set()
            turning.join()
        self.assertEqual(seen, {"1.0.0", "1.1.0"})


class Signature(PackCase):
    def key(self, name: str) -> None:
        openssl = ["openssl", "genpkey", "-algorithm", "ed25519", "-out", f"{name}.pem"]
        subprocess.run(openssl, check=True, cwd=self.folder, capture_output=True)
        subprocess.run(["openssl", "pkey", "-in", f"{name}.pem", "-pubout", "-out", f"{name}.pub"], check=True, cwd=self.folder)

    def test_a_signature_is_checked_by_the_vendor_s_key(self):
        self.key("acme")
        self.key("other")
        pack = self.packed(self.built(), "--key", "acme.pem")
        self.assertEqual(self.packed(self.built(), "--key", "acme.pem").read_bytes(), pack.read_bytes())
        self.assertIn("another key", self.install(pack, "--key", "other.pub", code=1))
        self.assertIn("public Ed25519 key", self.install(pack, "--key", "acme.pem", code=1))
        self.assertIn("without a signature", self.install(self.packed(self.built()), "--key", "acme.pub", code=1))
        self.assertFalse(self.modules.exists())
        self.assertIn("signature: not checked", self.install(pack))
        self.assertIn("signature: good, by the key acme.pub", self.install(pack, "--key", "acme.pub"))
        folder = self.modules / MODULE / "1.0.0"
        subprocess.run(["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", self.folder / "acme.pub", "-rawin", "-in", "SHA256SUMS",
                        "-sigfile", "SHA256SUMS.sig"], check=True, cwd=folder, stdout=subprocess.DEVNULL)

    def test_what_was_changed_behind_a_signature_is_refused(self):
        self.key("acme")
        parts = self.parts(self.packed(self.built(), "--key", "acme.pem"))
        parts["LICENSE"] += b"Not so.\n"
        parts["SHA256SUMS"] = re.sub(rb"\w{64}  LICENSE", hashlib.sha256(parts["LICENSE"]).hexdigest().encode() + b"  LICENSE", parts["SHA256SUMS"])
        changed = self.folder / "changed.tar"
        changed.write_bytes(archive(member(f"{MODULE}-1.0.0/{name}", content) for name, content in parts.items()))
        self.assertIn("of other bytes", self.install(changed, "--key", "acme.pub", code=1))
        self.install(changed)  # without the key nobody knows


if __name__ == "__main__":
    main()
