# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Bridge and scheduler on two hosts: TCP, and both sides show certificates."""

import pathlib

from cluster import Bridge, Case
from control_plane import free_port, openssl


class Certificates(Case):
    starts = False

    def setUp(self) -> None:
        super().setUp()
        self.port = free_port()
        self.authority = self.make_authority("ca")
        self.certificate("scheduler", "subjectAltName=IP:127.0.0.1")
        file = self.folder / "tenon.yaml"
        at = self.folder
        file.write_text(file.read_text().replace(f'"unix:{at}/tenon.sock"', (
            f'"127.0.0.1:{self.port}", tls_certificate: {at}/scheduler.crt, tls_key: {at}/scheduler.key, tls_client_ca: {self.authority}')))
        self.assertIn("tls_client_ca", file.read_text())
        self.serve()

    def make_authority(self, name: str) -> pathlib.Path:
        at = self.folder
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", 2, "-subj", f"/CN={name}", "-keyout", at / f"{name}.key", "-out", at / f"{name}.crt")
        return at / f"{name}.crt"

    def certificate(self, name: str, names: str, authority: str = "ca") -> None:
        at = self.folder
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", at / f"{name}.key", "-out", at / f"{name}.csr")
        (at / "names").write_text(names + "\n")
        openssl("x509", "-req", "-in", at / f"{name}.csr", "-CA", at / f"{authority}.crt", "-CAkey", at / f"{authority}.key", "-CAcreateserial",
                "-days", 2, "-extfile", at / "names", "-out", at / f"{name}.crt")

    def over_tcp(self, certificate: str = "", authority: str = "ca", wait: bool = True) -> Bridge:
        words = ["--tenon", f"127.0.0.1:{self.port}", "--tls-ca", str(self.folder / f"{authority}.crt")]
        if certificate:
            words += ["--tls-certificate", str(self.folder / f"{certificate}.crt"), "--tls-key", str(self.folder / f"{certificate}.key")]
        return self.start_bridge(*words, wait=wait)

    def never_works(self, bridge: Bridge) -> None:
        self.until("it says so", lambda: "no session with the scheduler" in bridge.log.read_text())
        self.assertFalse(bridge.connected())
        self.pod("first")
        self.wait_on("first")

    def test_pods_are_scheduled_over_tcp(self):
        self.certificate("kubernetes", "subjectAltName=DNS:kubernetes")
        self.over_tcp("kubernetes")
        self.node("one")
        self.pod("first")
        self.on("one", "first")

    def test_a_certificate_of_another_name_is_refused(self):
        self.certificate("another", "subjectAltName=DNS:another")
        self.node("one")
        bridge = self.over_tcp("another", wait=False)
        self.never_works(bridge)
        self.assertIn("PermissionDenied", bridge.log.read_text())

    def test_without_a_certificate_nobody_gets_in(self):
        self.node("one")
        self.never_works(self.over_tcp(wait=False))

    def test_a_scheduler_of_another_authority_is_not_believed(self):
        self.make_authority("other")
        self.certificate("kubernetes", "subjectAltName=DNS:kubernetes")
        self.node("one")
        self.never_works(self.over_tcp("kubernetes", authority="other", wait=False))

    def test_a_renewed_certificate_is_taken_with_the_next_connection(self):
        self.make_authority("other")
        self.certificate("kubernetes", "subjectAltName=DNS:kubernetes", authority="other")
        self.node("one")
        bridge = self.over_tcp("kubernetes", wait=False)
        self.never_works(bridge)
        self.certificate("kubernetes", "subjectAltName=DNS:kubernetes")
        self.on("one", "first")
