#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""`tenon serve --check` of files that are not safe: secrets that everybody may read, folders of modules that everybody may
write to, certificates that nobody accepts."""

import subprocess

from daemon import WITHIN_S, Daemon, ServeCase, main


class ExposedFiles(ServeCase):
    def setUp(self):
        super().setUp()
        (self.folder / "modules").mkdir()
        (self.folder / "tokens.yaml").write_text("- {token: everything-goes-here, user: root, all: true}\n")
        (self.folder / "token").write_text("0123456789abcdef-token\n")
        self.certify("20200101000000Z", "22000101000000Z")
        for file in ("tokens.yaml", "token", "server.key"):
            (self.folder / file).chmod(0o640)

    def certify(self, begins: str, ends: str) -> None:
        (self.folder / "index").write_text("")
        (self.folder / "ca.cnf").write_text(
            f"[ca]\ndefault_ca = own\n[own]\ndatabase = {self.folder}/index\nnew_certs_dir = {self.folder}\n"
            "default_md = sha256\nrand_serial = yes\npolicy = names\n[names]\ncommonName = supplied\n")
        for words in (["req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost",
                       "-keyout", "server.key", "-out", "request.pem"],
                      ["ca", "-batch", "-selfsign", "-config", "ca.cnf", "-notext", "-keyfile", "server.key",
                       "-in", "request.pem", "-out", "server.pem", "-startdate", begins, "-enddate", ends]):
            subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True)

    def checked(self) -> str:
        tls = f"tls_certificate: {self.folder}/server.pem, tls_key: {self.folder}/server.key"
        plan = self.deployment(
            f"module_path: [{self.folder}/modules]\n"
            "transports:\n"
            f"  - {{ use: tenon.rest, config: {{ listen: '127.0.0.1:0', tokens: {self.folder}/tokens.yaml, {tls} }} }}\n"
            f"  - {{ use: tenon.grpc, config: {{ listen: '127.0.0.1:0', admin_token_file: {self.folder}/token, {tls} }} }}\n")
        done = subprocess.run([Daemon.tenon, "serve", "--check", "-c", plan], capture_output=True, text=True,
                              timeout=WITHIN_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout + done.stderr

    def test_files_that_are_safe_are_not_spoken_of(self):
        self.assertNotIn("everybody", self.checked())
        self.assertNotIn("nobody accepts", self.checked())

    def test_secrets_that_everybody_may_read(self):
        for file, key in (("tokens.yaml", "tokens"), ("token", "admin_token_file"), ("server.key", "tls_key")):
            (self.folder / file).chmod(0o644)
            self.assertIn(f"{key}: everybody on this machine may read {self.folder}/{file}", self.checked())
            (self.folder / file).chmod(0o602)
            self.assertIn(f"{key}: everybody on this machine may write {self.folder}/{file}", self.checked())
            (self.folder / file).chmod(0o640)

    def test_a_folder_of_modules_that_everybody_may_write_to(self):
        (self.folder / "modules").chmod(0o777)
        self.assertIn(f"module_path: everybody on this machine may write to {self.folder}/modules", self.checked())

    def test_certificates_that_nobody_accepts(self):
        which = f"tls_certificate: certificate 1 of {self.folder}/server.pem"
        self.certify("20200101000000Z", "20200102000000Z")
        self.assertIn(f"{which} has expired, Jan  2 00:00:00 2020 GMT", self.checked())
        self.certify("21990101000000Z", "22000101000000Z")
        self.assertIn(f"{which} is valid from Jan  1 00:00:00 2199 GMT on", self.checked())


if __name__ == "__main__":
    main()
