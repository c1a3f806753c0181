#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""The daemon's host services for people: changed over gRPC, read and changed over HTTP."""

import json
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from daemon import QUEUES, ROOT, WITHIN_S, Daemon, ServeCase, main

TOKEN = "a-token-for-this-test"
# Of the distribution's Python, for which grpcio is a package: one call of the admin service, its answer as JSON.
CLIENT = """
import json, sys
import grpc
address, code, method, token, request = sys.argv[1:]
sys.path.insert(0, code)
from tenon.v1 import admin_pb2 as of
with grpc.insecure_channel(address) as channel:
    call = channel.unary_unary(f"/tenon.v1.Admin/{method}", getattr(of, method + "Request").SerializeToString,
                               getattr(of, method + "Response").FromString)
    try:
        said = call(getattr(of, method + "Request")(**json.loads(request)), wait_for_ready=True, timeout=60,
                    metadata=[("authorization", f"Bearer {token}")])
        fields = {"success": "success", "reason": "reason", "checksum": "checksum", "oldConfig": "old", "decisions": "decisions"}
        out = {word: getattr(said, field) for field, word in fields.items() if hasattr(said, field)}
        if "extraConfig" in request and hasattr(said, "warnings"):
            out["warnings"] = list(said.warnings)
        print(json.dumps(out))
    except grpc.RpcError as failed:
        print(json.dumps({"code": failed.code().name}))
"""


class People(ServeCase):
    python = "/usr/bin/python3"

    def serving(self, *options: str, more: str = "") -> Daemon:
        (self.folder / "token").write_text(TOKEN)
        (self.folder / "tokens.yaml").write_text(f"- {{ token: {TOKEN}, user: root, all: true }}\n")
        daemon = self.started(*options, more=f"""events: [{{ use: tenon.ring }}]
transports:
  - {{ use: tenon.grpc, config: {{ listen: "unix:{self.folder}/rm.sock", admin_token_file: {self.folder}/token }} }}
  - use: tenon.rest
    config: {{ listen: "127.0.0.1:0", address_file: {self.folder}/address, tokens: {self.folder}/tokens.yaml }}
{more}""")
        self.url = (self.folder / "address").read_text().strip()
        return daemon

    def get(self, path: str):
        with urllib.request.urlopen(self.url + path, timeout=WITHIN_S) as answer:
            return answer.read().decode()

    def post(self, path: str, body: str, token: str = TOKEN) -> int:
        request = urllib.request.Request(self.url + path, body.encode(), {"Authorization": f"Bearer {token}"})
        try:
            with urllib.request.urlopen(request, timeout=WITHIN_S) as answer:
                return answer.status
        except urllib.error.HTTPError as refused:
            refused.close()
            return refused.code

    def clients(self) -> str:
        """A folder with the code of the administration service."""
        if not shutil.which("protoc") or subprocess.run([self.python, "-c", "import grpc"], capture_output=True).returncode:
            self.skipTest("protoc or python3-grpcio is not installed")
        code = self.enterContext(tempfile.TemporaryDirectory(prefix="tenon-"))
        subprocess.run(["protoc", "-I", ROOT / "sdk/proto", f"--python_out={code}", "tenon/v1/admin.proto",
                        "tenon/v1/options.proto"], check=True)
        return code

    def ask(self, code: str, method: str, request: dict, token: str = TOKEN) -> dict:
        done = subprocess.run([self.python, "-B", "-c", CLIENT, f"unix:{self.folder}/rm.sock", code, method, token,
                               json.dumps(request)], capture_output=True, text=True, timeout=2 * WITHIN_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_a_daemon_is_stepped_over_grpc_where_its_deployment_says_so(self):
        code = self.clients()
        daemon = self.serving()
        self.assertEqual(self.ask(code, "Step", {"most": 1}), {"code": "FAILED_PRECONDITION"})
        self.assertEqual(daemon.finish(), 0, daemon.words())
        manual = self.serving(more="cycle: { manual: true }\n")
        self.assertEqual(self.ask(code, "Step", {"most": 1}), {"decisions": 0})
        self.assertEqual(self.ask(code, "Step", {"most": 1, "partition": "none"}), {"code": "NOT_FOUND"})
        self.assertEqual(self.ask(code, "Step", {"most": 1}, "another-token"), {"code": "PERMISSION_DENIED"})
        self.assertEqual(manual.finish(), 0, manual.words())

    def test_configurations_are_checked_and_changed_over_grpc(self):
        code = self.clients()
        daemon = self.serving()

        def call(method: str, config: str, token: str = TOKEN, **more) -> dict:
            return self.ask(code, method, {"config": config} | more, token)

        other = QUEUES.replace("3200", "1600")
        self.assertEqual(call("ValidateConfig", other, "another-token-of-nobody"), {"code": "PERMISSION_DENIED"})
        checked = call("ValidateConfig", other)
        self.assertTrue(checked["success"], checked)
        refused = call("UpdateConfig", other.replace("submitacl", "submitacll"))
        self.assertFalse(refused["success"])
        self.assertIn("submitacll", refused["reason"])
        self.assertEqual(refused["old"], QUEUES)
        changed = call("UpdateConfig", other)
        self.assertEqual(changed, {"success": True, "reason": "", "checksum": checked["checksum"], "old": QUEUES})
        self.assertEqual(call("ValidateConfig", "nonsense")["old"], other)
        self.queues.write_text(QUEUES.replace("max:", "maximum:"))
        broken = call("ValidateConfig", "", policyGroup="default")
        self.assertRegex(broken["reason"], r"queues\.yaml:10:15\b")
        self.queues.write_text(QUEUES)
        self.assertTrue(call("ValidateConfig", "")["success"])
        self.assertEqual(call("UpdateConfig", "", policyGroup="default"), {"code": "FAILED_PRECONDITION"})
        self.assertTrue(call("UpdateConfig", "", policyGroup="default", force=True)["success"])
        self.assertEqual(call("ValidateConfig", "nonsense")["old"], QUEUES)
        self.assertEqual(daemon.finish(), 0, daemon.words())

    def expect_that_settings_are_taken(self, method: str) -> None:
        code = self.clients()
        self.serving()

        def call(config: str, **more) -> dict:
            return self.ask(code, method, {"config": config} | more, TOKEN)

        for config in ("", QUEUES):
            for more in ({"rmID": "none"}, {"policyGroup": "none"}):
                with self.subTest(f"{method} {more} {config[:1]}"):
                    said = call(config, **more)
                    self.assertFalse(said.get("success", False), said)
        self.assertFalse(call("# nothing")["success"])
        settings = call(QUEUES, extraConfig={"log.level": "INFO", "c": ""})
        self.assertTrue(settings["success"], settings)
        self.assertNotIn("extraConfig", str(settings), "what a client sends at every start is no warning")
        malformed = call(QUEUES, extraConfig={"": "b", "c\n": "d"})
        self.assertTrue(malformed["success"], malformed)
        if method == "UpdateConfig":
            self.assertIn("2 settings have no name", malformed["warnings"][-1])

    def test_settings_of_clients_are_taken_when_a_configuration_is_checked(self):
        self.expect_that_settings_are_taken("ValidateConfig")

    def test_settings_of_clients_are_taken_when_a_configuration_is_changed(self):
        self.expect_that_settings_are_taken("UpdateConfig")

    def test_health_is_the_same_to_everybody(self):
        if subprocess.run([self.python, "-c", "import grpc"], capture_output=True).returncode:
            self.skipTest("python3-grpcio is not installed")
        ask = ("import grpc, sys\n"
               "with grpc.insecure_channel(sys.argv[1]) as channel:\n"
               "    asked = b'' if len(sys.argv) == 2 else bytes([10, len(sys.argv[2])]) + sys.argv[2].encode()\n"
               "    print(channel.unary_unary('/grpc.health.v1.Health/Check')(asked, wait_for_ready=True, timeout=60)[1])\n")

        def over_grpc(*service: str) -> str:
            done = subprocess.run([self.python, "-c", ask, f"unix:{self.folder}/rm.sock", *service],
                                  capture_output=True, text=True, timeout=2 * WITHIN_S)
            self.assertEqual(done.returncode, 0, done.stderr)
            return {"1": "SERVING", "2": "NOT_SERVING"}[done.stdout.strip()]

        daemon = self.serving("--record", "/dev/full")  # a disk that takes nothing
        daemon.wait_for_words("ready")
        until = time.monotonic() + WITHIN_S
        while daemon.ctl("health").returncode == 0 and time.monotonic() < until:
            time.sleep(0.05)
        said = daemon.ctl("health")
        self.assertEqual(said.returncode, 1)
        self.assertRegex(said.stdout, r"(?m)^Recordings +unhealthy +/dev/full: writing failed")
        daemon.wait_for_words("the recording cannot be written: /dev/full: writing failed")
        rest = json.loads(self.get("/ws/v1/scheduler/healthcheck"))
        self.assertFalse(rest["Healthy"])
        checks = json.loads(daemon.ctl("health", "--json").stdout)["checks"]
        self.assertEqual([(c["name"], c["state"] == "healthy") for c in checks],
                         [(c["Name"], c["Succeeded"]) for c in rest["HealthChecks"]])
        self.assertEqual(over_grpc(), "NOT_SERVING")
        self.assertEqual(over_grpc("si.v1.Scheduler"), "SERVING")

    def test_it_is_read_and_changed_over_http(self):
        daemon = self.serving()
        self.assertIn("<!doctype html>", self.get("/").lower())
        self.assertIn("tenon_turns_total", self.get("/ws/v1/metrics"))
        self.assertTrue(json.loads(self.get("/ws/v1/scheduler/healthcheck"))["Healthy"])
        self.assertIn("tenon.rest", self.get("/tenon/v1/modules"))
        self.queues.write_text(QUEUES.replace("3200", "800"))
        self.assertEqual(self.post("/tenon/v1/reload", "", "a-token-of-nobody"), 401)
        self.assertEqual(self.post("/tenon/v1/reload", ""), 200)
        self.queues.write_text("partitions: nonsense")
        self.assertEqual(self.post("/tenon/v1/reload", ""), 400)
        self.assertEqual(daemon.finish(), 0, daemon.words())


class Encrypted(ServeCase):
    """tenon.rest with a certificate, which openssl makes."""

    def config(self, **keys: str) -> str:
        words = ", ".join(f"{key}: {value}" for key, value in keys.items())
        return f"transports: [{{ use: tenon.rest, config: {{ listen: '127.0.0.1:0', {words} }} }}]\n"

    def certificate(self) -> dict:
        if not shutil.which("openssl"):
            self.skipTest("openssl is not installed")
        key, certificate = self.folder / "key.pem", self.folder / "certificate.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=tenon",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
                       check=True, capture_output=True)
        return {"tls_certificate": str(certificate), "tls_key": str(key)}

    def test_it_speaks_tls_alone_and_has_the_certificate(self):
        files = self.certificate()
        daemon = self.started(more=self.config(**files, address_file=str(self.folder / "address")))
        url = (self.folder / "address").read_text().strip()
        self.assertRegex(url, "^https://127.0.0.1:")
        trusting = ssl.create_default_context(cafile=files["tls_certificate"])
        with urllib.request.urlopen(f"{url}/ws/v1/clusters", timeout=WITHIN_S, context=trusting) as answer:
            self.assertEqual(answer.status, 200)
        with self.assertRaises(urllib.error.URLError):  # of an authority that nobody knows
            urllib.request.urlopen(f"{url}/ws/v1/clusters", timeout=WITHIN_S)
        with self.assertRaises(OSError):  # no answer without TLS
            urllib.request.urlopen(f"{url}/ws/v1/clusters".replace("https", "http"), timeout=WITHIN_S)
        with socket.create_connection(("127.0.0.1", int(url.rsplit(":", 1)[1])), WITHIN_S) as half:
            half.sendall(b"\x16\x03\x01\x02\x00")  # the start of a handshake that never goes on
            with urllib.request.urlopen(f"{url}/ws/v1/clusters", timeout=WITHIN_S, context=trusting) as answer:
                self.assertEqual(answer.status, 200)
        self.assertEqual(daemon.finish(), 0, daemon.words())

    def test_what_cannot_be_served_safely_is_refused_before_anything_starts(self):
        for more, words in (
            (self.config(tls_certificate="/none/of.pem", tls_key="/none/of.key"), "/none/of.pem"),
            (self.config().replace("127.0.0.1:0", "0.0.0.0:0"), "serve_everybody_without_tls_and_token"),
        ):
            with self.subTest(words):
                daemon = Daemon(self, self.deployment(more))
                self.assertEqual(daemon.finish(None), 2)
                self.assertIn(words, daemon.words())


if __name__ == "__main__":
    main()
