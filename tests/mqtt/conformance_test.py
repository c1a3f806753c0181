#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""tenon.mqtt behaves as every transport must, with a broker, and says so where there is none."""

import json
import pathlib
import subprocess
import sys

from queue_case import QueueCase, daemon, free_port, main

CLIENT = pathlib.Path(sys.argv.pop(sys.argv.index("--client") + 1))
sys.argv.remove("--client")


class Conformance(QueueCase):
    def verified(self, *options: str) -> dict:
        module = pathlib.Path(daemon.Daemon.tenon).parents[1] / "lib/tenon/modules/mqtt.yaml"
        done = subprocess.run([daemon.Daemon.tenon, "plugin", "verify", str(module), "--json", *options],
                              capture_output=True, text=True, timeout=600, cwd=self.folder)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)

    def test_every_check_passes_with_a_broker(self):
        config = self.folder / "mqtt.yaml"
        config.write_text(f"{{ broker: '127.0.0.1:{self.broker.port}' }}\n")
        report = self.verified("--config", str(config), "--client", str(CLIENT))
        # It listens nowhere: hostile bytes come by the broker, in hostile_test.py.
        wrong = [one for one in report["results"] if one["outcome"] != "passed" and one["id"] != "transport-believes-nobody"]
        self.assertEqual(wrong, [])
        self.assertGreater(sum(one["id"].startswith("transport-") for one in report["results"]), 20)

    def test_without_one_the_checks_are_skipped_with_words(self):
        config = self.folder / "mqtt.yaml"
        port = free_port()
        config.write_text(f"{{ broker: '127.0.0.1:{port}', connect_timeout_ms: 200 }}\n")
        report = self.verified("--config", str(config), "--filter", "^transport-starts$")
        (one,) = report["results"]
        self.assertEqual(one["outcome"], "skipped")
        self.assertIn(f"MQTT broker at 127.0.0.1:{port}", one["text"])


if __name__ == "__main__":
    main()
