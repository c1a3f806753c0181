#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""The daemon reads its queues again: all of them or none, and says what it thinks of them."""

import signal
import subprocess

from daemon import QUEUES, WITHIN_S, Daemon, ServeCase, main


class Reload(ServeCase):
    def test_hangup_reads_the_queues_again(self):
        daemon = self.started()
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait("RELOADING=1")
        daemon.wait("READY=1")
        daemon.finish()
        self.assertIn("SIGHUP: reload the configuration: done", daemon.words())

    def test_bad_queues_change_nothing_and_are_told_with_their_place(self):
        daemon = self.started()
        self.queues.write_text(QUEUES.replace("max:", "maximum:"))
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait("RELOADING=1")
        daemon.wait("READY=1")
        told = daemon.ctl("reload")
        self.assertEqual(told.returncode, 1)
        self.assertRegex(told.stderr, r"queues\.yaml:10:15\b")
        self.queues.write_text(QUEUES)
        self.assertEqual(daemon.ctl("reload").stdout, "reloaded\nnothing changes\n")
        daemon.finish()
        self.assertRegex(daemon.words(), r"SIGHUP: reload the configuration: refused, \S*queues\.yaml:10:15\b")

    def test_an_empty_file_changes_nothing(self):
        daemon = self.started()
        for text in ("", "# queues\n"):
            self.queues.write_text(text)
            told = daemon.ctl("reload")
            self.assertEqual(told.returncode, 1)
            for part in ("queues.yaml", "a text without content", "nothing was changed"):
                self.assertIn(part, told.stderr)

    def test_warnings_are_told_at_the_start_and_by_each_reload(self):
        daemon = self.started()
        self.queues.write_text("partitions: []\n")
        for left_out in (r"warning: leaves out partition default: what is there goes on.*\n", ""):
            self.assertRegex(daemon.ctl("reload").stdout,
                             rf"reloaded\n(.*\n)*{left_out}warning: \S*queues\.yaml:1:1: no partitions")
        daemon.finish()
        self.assertEqual(daemon.words().count("no partitions"), 2)
        checked = subprocess.run([Daemon.tenon, "serve", "--check", "-c", str(self.folder / "tenon.yaml")],
                                 capture_output=True, text=True, timeout=WITHIN_S)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        self.assertIn("no partitions", checked.stderr)

    def test_a_reload_says_what_it_changed(self):
        daemon = self.started()
        self.queues.write_text(QUEUES.replace("max:", "guaranteed:") + "          - {name: added}\n")
        told = daemon.ctl("reload")
        self.assertEqual(told.returncode, 0, told.stderr)
        for part in ("+ queue root.added", "max ", "guaranteed none -> ", "in all: 1 added, 1 changed, 0 removed; 0 lost"):
            self.assertIn(part, told.stdout)

    def test_a_policy_group_that_is_not_there_is_refused_with_the_nearest(self):
        daemon = self.started()
        for words in (("reload", "--group", "defalt"), ("config", "defalt")):
            no = daemon.ctl(*words)
            self.assertEqual(no.returncode, 1, no.stdout)
            self.assertIn("'defalt'", no.stderr)
            self.assertIn("fix:  did you mean 'default'?", no.stderr)
        no = daemon.ctl("config", "--rm", "nobody")
        self.assertEqual((no.returncode, "'nobody'" in no.stderr, "fix:" in no.stderr), (1, True, True), no.stderr)

    def test_a_lock_is_compared_with_what_the_queues_bind(self):
        """At the start, and by a reload: not when the first resource manager registers."""
        deployment = self.deployment()
        locked = subprocess.run([Daemon.tenon, "plugin", "lock", str(deployment)], capture_output=True, text=True)
        self.assertEqual(locked.returncode, 0, locked.stderr)
        daemon = self.started()
        self.queues.write_text(QUEUES.replace("  - name: default\n", "  - name: default\n    nodesortpolicy: {type: binpacking}\n"))
        words = "module 'tenon.node-binpacking' is not in it, and partition default: nodesortpolicy.type leads to"
        no = daemon.ctl("reload")
        self.assertEqual((no.returncode, words in no.stderr), (1, True), no.stderr)
        daemon.finish()
        again = Daemon(self, deployment)
        self.assertTrue(again.ended.wait(WITHIN_S))
        self.assertEqual(again.finish(None), 2, again.words())
        self.assertIn(words, again.words())
        self.assertIn("`tenon plugin lock", again.words())

    def test_a_deployment_that_has_become_wrong_is_refused(self):
        daemon = self.started()
        self.deployment("transpots: []\n")
        told = daemon.ctl("reload")
        self.assertEqual(told.returncode, 1)
        self.assertIn("tenon.yaml:4:1", told.stderr)


if __name__ == "__main__":
    main()
