#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Configurations that people send over REST: shown, kept, and what reloads and restarts do to them."""

import json
import signal
import subprocess
import urllib.error
import urllib.request

from daemon import QUEUES, WITHIN_S, Daemon, ServeCase, main

TOKEN = "a-token-for-this-test"
SENT = QUEUES.replace("3200", "1600")


class Sent(ServeCase):
    def serving(self, more: str = "") -> Daemon:
        (self.folder / "tokens.yaml").write_text(f"- {{ token: {TOKEN}, user: olga, all: true }}\n")
        daemon = self.started(more=f"""events: [{{ use: tenon.ring }}]
transports:
  - use: tenon.rest
    config: {{ listen: "127.0.0.1:0", address_file: {self.folder}/address, tokens: {self.folder}/tokens.yaml }}
{more}""")
        self.url = (self.folder / "address").read_text().strip()
        return daemon

    def post(self, path: str, body: str = "") -> tuple[int, dict]:
        request = urllib.request.Request(self.url + path, body.encode(), {"Authorization": f"Bearer {TOKEN}"})
        try:
            with urllib.request.urlopen(request, timeout=WITHIN_S) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, json.loads(refused.read())

    def in_force(self, daemon: Daemon) -> dict:
        all_of_them = daemon.json("config")["configurations"]
        self.assertEqual(len(all_of_them), 1)
        return all_of_them[0]

    def send(self) -> dict:
        status, said = self.post("/tenon/v1/config", SENT)
        self.assertEqual(status, 200, said)
        return said

    def test_one_is_shown_and_a_reload_that_knows_nothing_of_it_is_refused(self):
        daemon = self.serving()
        self.assertEqual(self.in_force(daemon)["revision"], 1)
        said = self.send()
        self.assertEqual(said["revision"], 2)
        self.assertIn("kept in memory alone", said["warnings"][0])
        one = self.in_force(daemon)
        self.assertEqual((one["revision"], one["instead_of"], one["sent_by"], one["kept"], one["source_state"]),
                         (2, 1, "olga (rest 127.0.0.1)", False, "the same"))
        self.assertRegex(daemon.ctl("config").stdout,
                         r"(?m)^default +- +2, in place of 1 +\S+Z +olga \(rest 127\.0\.0\.1\) +until a restart +\S+queues\.yaml$")
        self.assertEqual(daemon.ctl("config", "default", "--text").stdout, SENT)
        refused = daemon.ctl("reload")
        self.assertEqual(refused.returncode, 1)
        for part in ("revision 2, which olga (rest 127.0.0.1) sent at ", "as it was in revision 1", "force the reload"):
            self.assertIn(part, refused.stderr)
        self.assertEqual(self.post("/tenon/v1/reload")[0], 409)
        plan = subprocess.run([Daemon.tenon, "config", "plan", self.queues, "--live", daemon.control], capture_output=True, text=True)
        self.assertEqual(plan.returncode, 3, plan.stderr)
        self.assertIn("revision 2, which olga (rest 127.0.0.1) sent, is in force", plan.stdout)
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_for_words("SIGHUP: reload the configuration: refused")
        self.assertEqual(daemon.ctl("config", "--text").stdout, SENT)
        self.assertIn("have: 'nowhere'", daemon.ctl("config", "nowhere").stderr)

    def test_a_file_that_changed_wins_and_says_what_it_replaced(self):
        daemon = self.serving()
        self.send()
        newer = QUEUES.replace("3200", "800")
        self.queues.write_text(newer)
        self.assertEqual(self.in_force(daemon)["source_state"], "changed")
        done = daemon.ctl("reload")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: replaced revision 2, which olga (rest 127.0.0.1) sent", done.stdout)
        self.assertEqual(daemon.ctl("config", "--text").stdout, newer)
        daemon.wait_for_events("SYSTEM", lambda one: "replaced revision 2, which olga" in one["message"])

    def test_a_forced_reload_throws_it_away(self):
        daemon = self.serving()
        self.send()
        status, said = self.post("/tenon/v1/reload?force=true")
        self.assertEqual(status, 200, said)
        self.assertIn("replaced revision 2", said["warnings"][0])
        self.send()
        self.assertEqual(daemon.ctl("reload", "--force").returncode, 0)
        self.assertEqual(daemon.ctl("config", "--text").stdout, QUEUES)

    def test_one_that_is_kept_outlives_the_daemon(self):
        store = "configuration: { store: sent }\n"
        daemon = self.serving(store)
        self.assertEqual(self.send()["warnings"], [])
        self.assertTrue(self.in_force(daemon)["kept"])
        daemon.kill()  # whatever is only in memory is gone
        again = self.serving(store)
        again.wait_for_words("in force is revision 2, which olga (rest 127.0.0.1) sent")
        self.assertEqual(again.ctl("config", "--text").stdout, SENT)
        self.assertEqual(again.ctl("reload").returncode, 1)
        again.finish()
        self.queues.write_text(QUEUES.replace("3200", "800"))
        changed = self.serving(store)
        changed.wait_for_words("queues.yaml has changed and replaces revision 2, which olga")
        self.assertEqual(self.in_force(changed)["sent_by"], "")
        self.assertGreater(self.in_force(changed)["revision"], 2)
        self.assertEqual(list((self.folder / "sent").iterdir()), [])

    def test_a_check_leaves_nothing_behind_and_a_damaged_store_is_refused(self):
        file = self.deployment("configuration: { store: sent }\n")
        daemon = Daemon(self, file, "--check")
        self.assertEqual(daemon.finish(None), 0, daemon.words())
        self.assertFalse((self.folder / "sent").exists())
        (self.folder / "sent").mkdir()
        (self.folder / "sent/group-default.json").write_text("half of it")
        for more in ((), ("--check",)):
            words = self.refused("serve", "-c", str(file), *more)
            self.assertIn("sent/group-default.json", words)
            self.assertIn("move the file away", words)

    def test_a_store_that_cannot_be_is_refused(self):
        self.assertIn("none/of/it", self.refused("serve", "-c", str(self.deployment("configuration: { store: none/of/it }\n"))))


if __name__ == "__main__":
    main()
