#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""The dashboard of a running scheduler: `tenon serve` with tenon.rest, and a resource manager over gRPC.

Ends with 77, skipped, where there is no Chromium, no Playwright or no grpcio.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

import browser
import browser_case

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = "/usr/bin/python3"  # the distribution's, for which grpcio is a package
WITHIN_S = 120
TOKEN = "a-token-for-this-test"
TENON = ""
QUEUES = """\
partitions:
  - name: default
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: q0
            resources: { guaranteed: { vcore: 100, memory: 1Ti, gpu: 2000 }, max: { vcore: 2000, memory: 16Ti } }
          - name: q1
          - name: q2
          - name: q3
"""


class Scheduler:
    """The daemon and a resource manager that stays connected, with one pod that no node can hold."""

    def __init__(self, folder: pathlib.Path):
        self.folder, self.processes = folder, []
        (folder / "queues.yaml").write_text(QUEUES)
        (folder / "tokens.yaml").write_text(f"- {{ token: {TOKEN}, user: root, all: true }}\n")
        (folder / "tenon.yaml").write_text(f"""\
apiVersion: tenon/v1
policy_groups: {{ default: queues.yaml }}
events: [{{ use: tenon.ring }}]
transports:
  - {{ use: tenon.grpc, config: {{ listen: "unix:{folder}/rm.sock" }} }}
  - use: tenon.rest
    config: {{ listen: "127.0.0.1:0", address_file: {folder}/address, tokens: {folder}/tokens.yaml }}
control: {{ socket: control.sock }}
""")

    def start(self):
        self.run([TENON, "serve", "-c", self.folder / "tenon.yaml", "--log-level", "warning"], stdin=subprocess.DEVNULL)
        self.url = self.wait(lambda: (self.folder / "address").read_text().strip()).rstrip("/")
        self.wait(lambda: urllib.request.urlopen(f"{self.url}/ws/v1/clusters").read())
        package = pathlib.Path(TENON).resolve().parents[1] / "python"
        client = self.run([PYTHON, "-B", ROOT / "tools/demo_rm.py", "--address", f"unix:{self.folder}/rm.sock", "--package", package, "--stay",
                           "--nodes", "60", "--pods", "300", "--too-large", "1", "--devices"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for line in client.stdout:
            if b"decisions in" in line:
                # Readers may be given what was a moment ago: the test begins when that has all nodes.
                self.wait(lambda: urllib.request.urlopen(f"{self.url}/ws/v1/partition/default/node/node-0059").read())
                return
        raise AssertionError("the resource manager ended before its pods were placed")

    def run(self, command: list, **streams) -> subprocess.Popen:
        self.processes.append(subprocess.Popen(command, **streams))
        return self.processes[-1]

    def wait(self, found):
        until = time.monotonic() + WITHIN_S
        while time.monotonic() < until:
            try:
                if answer := found():
                    return answer
            except OSError:
                pass
            if self.processes[0].poll() is not None:
                raise AssertionError("the daemon ended")
            time.sleep(0.05)
        raise AssertionError("the daemon does not serve")

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait(WITHIN_S)
            for stream in (process.stdin, process.stdout):
                if stream:
                    stream.close()


class Dashboard(browser_case.BrowserCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.scheduler = Scheduler(folder)
        cls.addClassCleanup(cls.scheduler.stop)
        cls.scheduler.start()
        cls.url = cls.scheduler.url

    def shown(self, page, view: str):
        mark = {"overview": ".chart >> nth=5", "devices": ".boxes button >> nth=0", "people": "button:has-text('user-3') >> nth=0",
                "reservations": "main .empty, tbody tr", "preemptions": "main .empty, tbody tr", "managers": "button:has-text('demo')",
                "queues": "button:has-text('q3')", "applications": "main button:has-text('app-0')", "nodes": "canvas#heat",
                "events": "tbody tr >> nth=0", "modules": "tbody tr:has-text('tenon.rest'), tbody tr >> nth=0"}[view]
        page.wait_for_selector(mark)

    def test_every_view_is_clean_in_light_in_dark_and_narrow(self):
        for scheme, width in (("light", 1280), ("dark", 390)):
            page = self.page(color_scheme=scheme, viewport={"width": width, "height": 844})
            for view in browser_case.VIEWS:
                with self.subTest(scheme=scheme, view=view):
                    self.open(page, view)
                    self.assertEqual(self.violations(page), [])
                    self.assertLessEqual(self.too_wide(page), 0)
                    self.assertLessEqual(self.header_share(page), 0.2)
                    self.assertNotRegex(page.inner_text("main"), r"map\[|\d{8}", "amounts are not in units")
            self.assertEqual(self.wrong, [])

    def test_a_queue_below_its_guarantee_is_the_first_problem(self):
        page = self.page("overview")
        problem = page.locator(".problems li").first
        self.expect(problem).to_contain_text("root.q0 is below its guarantee with 1,000 of gpu waiting")
        problem.locator("a").click()
        self.shown(page, "queues")
        page.go_back()
        problem.locator("button").click()
        self.expect(page.locator("#detail")).to_contain_text("queue root.q0")
        self.expect(page.locator("#detail tr", has_text="CPU")).to_contain_text("2,000 cores")
        self.assertEqual(self.violations(page), [])

    def test_the_time_line_has_what_was_decided(self):
        page = self.page("overview")
        charts = page.locator(".chart svg[role=img]")
        self.expect(charts).to_have_count(6)
        self.expect(charts.nth(0)).to_have_attribute("aria-label", re.compile("CPU [1-9][0-9]* %, [1-9].* cores"))
        self.expect(charts.nth(1)).to_have_attribute("aria-label", re.compile("gpu [1-9][0-9]* %, 1,000"))
        placed = re.compile("Placed [0-9,]+, at most [1-9]")
        self.expect(charts.nth(4)).to_have_attribute("aria-label", placed)
        with urllib.request.urlopen(f"{self.url}/tenon/v1/partition/default/history") as answer:
            self.assertEqual(sum(one["placed"] for one in json.load(answer)), 300)

    def test_a_queue_has_curves_and_what_waits_has_a_reason(self):
        page = self.page("overview")
        waits = re.compile("^Waiting for, .*: no node fits 1, at most 1$")
        self.expect(page.locator(".chart svg[role=img]").nth(5)).to_have_attribute("aria-label", waits)
        self.open(page, "queues")
        page.click("main button.link:has-text('q0')")
        charts = page.locator("#detail .chart svg[role=img]")
        self.expect(charts).to_have_count(5)
        self.expect(charts.nth(0)).to_have_attribute("aria-label", re.compile("CPU [1-9][0-9]* %, [1-9].* cores"))
        self.expect(charts.nth(2)).to_have_attribute("aria-label", waits)
        self.assertEqual(self.violations(page), [])

    def test_asks_that_can_never_run_are_named_beside_all_that_waits(self):
        page = self.page("overview")
        self.expect(page.locator(".problems .notice")).to_contain_text("1,000 of gpu (208 % of the partition)")
        problem = page.locator(".problems li", has_text="can never run")
        # Health looks at sums every 30 s, and the page at health.
        self.expect(problem).to_contain_text("app-0/large-00000 (asks 1,000 of gpu, the largest node has 8)", timeout=4 * browser_case.PATIENCE_MS)

    def test_devices_say_who_holds_them(self):
        page = self.page("devices")
        self.expect(page.locator("main p[role=status]")).to_contain_text("480 devices of gpu")
        page.locator("button.device.taken").first.click()
        holder = page.locator("#detail [data-kind=application]").first
        self.expect(holder).to_contain_text("app-")
        self.assertEqual(self.violations(page), [])
        holder.click()
        self.expect(page.locator("#detail")).to_contain_text("Allocations")

    def test_nodes_are_sorted_by_click_and_by_keys(self):
        page = self.page("nodes")
        self.shown(page, "nodes")
        head = page.locator("thead th", has_text="Node")
        head.locator("button").click()
        self.expect(head).to_have_attribute("aria-sort", "ascending")
        self.assertEqual(self.column(page, "nodes", 1)[0], "node-0000")
        page.keyboard.press("Space")
        self.expect(head).to_have_attribute("aria-sort", "descending")
        self.assertEqual(self.column(page, "nodes", 1)[0], "node-0059")

    def test_people_have_their_use_and_managers_their_state(self):
        page = self.page("people")
        row = page.locator("[data-key='table people-user'] tr", has_text="user-3").first
        self.expect(row).to_contain_text("cores")
        row.locator("[data-kind=user]").click()
        self.expect(page.locator("#detail")).to_contain_text("1 application")
        page.keyboard.press("Escape")
        self.open(page, "managers")
        self.expect(page.locator("tbody tr", has_text="demo")).to_contain_text("connected")

    def test_queues_show_what_is_used_of_what_they_may_have(self):
        page = self.page("queues")
        self.expect(page.locator("li[data-key='root.q0'] > .queue")).to_contain_text("of 2,000 cores · guaranteed 100 cores")
        self.assertEqual(self.wrong, [])

    def test_an_ask_that_no_node_holds_is_explained(self):
        page = self.page("applications")
        page.locator("main button.link", has_text="app-0").click()
        page.locator("#detail [data-do=explain]").first.click()
        self.expect(page.locator(".explanation")).to_contain_text("Nodes that fit")
        self.expect(page.locator(".explanation")).to_contain_text("0 of 60")
        self.expect(page.locator(".explanation .notice")).to_have_text(
            "It can never run as the cluster is: it asks 1,000 of gpu, the largest node has 8. "
            "To let it run, ask for at most 8 of gpu, or add a node that has 1,000 of gpu.")
        self.assertEqual(self.violations(page), [])
        self.assertEqual(self.wrong, [])

    def test_a_node_is_drained_and_the_event_of_it_comes_live(self):
        watching = self.page("events")
        self.shown(watching, "events")
        watching.fill("#events-search", "node-0007")
        acting = self.page("nodes")
        acting.fill("#nodes-search", "node-0007")
        acting.locator("main button.link", has_text="node-0007").click()
        acting.click("#detail [data-do=token]")
        acting.fill("#token-text", TOKEN)
        acting.keyboard.press("Enter")
        acting.click("#detail button:has-text('Drain node')")
        acting.fill("#act-reason", "a broken fan")
        acting.keyboard.press("Enter")
        self.expect(acting.locator(".outcome, #detail button:has-text('Undo drain')").first).to_be_visible()
        self.expect(acting.locator("#detail")).to_contain_text("not schedulable")
        self.expect(watching.locator("tbody tr", has_text="schedulable").first).to_be_visible()

    def test_modules_say_what_they_do_and_how_long_it_takes(self):
        page = self.page("modules")
        self.expect(page.locator("tbody tr", has_text="tenon.rest")).to_contain_text("transport · rest")
        self.expect(page.locator("tbody tr", has_text="tenon.node-fair")).to_contain_text("node-sort · fair")
        self.assertEqual(self.wrong, [])

    def test_files_are_asked_about_and_not_sent_again(self):
        with urllib.request.urlopen(f"{self.url}/dashboard/main.js") as answer:
            tag = answer.headers["ETag"]
            self.assertIn("script-src 'self'", answer.headers["Content-Security-Policy"])
        try:
            urllib.request.urlopen(urllib.request.Request(f"{self.url}/dashboard/main.js", headers={"If-None-Match": tag}))
            self.fail("sent again")
        except urllib.error.HTTPError as unchanged:
            self.assertEqual(unchanged.code, 304)
            unchanged.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", required=True, type=pathlib.Path, help="the folder that Playwright and axe-core are in, or go to")
    parser.add_argument("--tenon", required=True, help="the program")
    arguments, rest = parser.parse_known_args()
    why = browser.missing(arguments.tools)
    if not why and subprocess.run([PYTHON, "-c", "import grpc"], capture_output=True).returncode != 0:
        why = "no grpcio here (Debian package python3-grpcio)"
    if why:
        print(f"skipped: {why}")
        sys.exit(SKIPPED)
    browser_case.BrowserCase.tools, TENON = arguments.tools, arguments.tenon
    unittest.main(argv=[sys.argv[0], *rest])
