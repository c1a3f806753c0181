#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Opens a report in a real browser: nothing is wrong with it, and it shows values under the pointer.

Ends with 77, skipped, where there is no Chromium.
"""

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

from cases import run_cases

SKIPPED = 77
TENON = ""
BROWSER = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), "")

# Runs after the page's own script: moves a pointer over charts, and leaves behind what the test looks at.
PROBE = """<script>
addEventListener("load", () => {
  const seen = { ready: document.documentElement.dataset.ready, errors: window.probeErrors, outside: [], crowded: [],
    small: [], tips: {} };
  for (const chart of ["use", "satisfied", "job-waits", "waiting"]) {
    const area = document.querySelector(`#${chart} .track`) || document.querySelector(`#${chart} .plot`);
    const box = area.getBoundingClientRect();
    area.dispatchEvent(new PointerEvent("pointermove",
        { clientX: box.left + box.width * 0.5, clientY: box.top + box.height * 0.2, bubbles: true }));
    const tip = document.getElementById("tip"), place = tip.getBoundingClientRect();
    seen.tips[chart] = tip.textContent;
    if (place.left < 0 || place.right > document.documentElement.clientWidth + 1) seen.outside.push("tip of " + chart);
    area.dispatchEvent(new PointerEvent("pointerleave"));
  }
  for (const text of document.querySelectorAll(".chart span")) {
    const inner = text.getBoundingClientRect(), outer = text.closest("section").getBoundingClientRect();
    if (inner.width === 0) continue;
    if (inner.left < outer.left - 1 || inner.right > outer.right + 1) seen.outside.push(text.textContent);
    if (parseFloat(getComputedStyle(text).fontSize) < 12) seen.small.push(text.textContent);
  }
  for (const axis of document.querySelectorAll(".x-axis")) {
    let last = -Infinity;
    for (const label of axis.children) {
      const box = label.getBoundingClientRect();
      if (box.width === 0) continue;
      if (box.left < last) seen.crowded.push(axis.parentElement.id + ": " + label.textContent);
      last = box.right;
    }
  }
  seen.wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
  seen.plots = [...document.querySelectorAll(".plot")].map(plot => plot.getBoundingClientRect().width);
  seen.ink = getComputedStyle(document.body).color;
  seen.page = getComputedStyle(document.body).backgroundColor;
  document.body.replaceChildren(document.createElement("pre"));
  document.body.firstChild.textContent = "PROBE" + JSON.stringify(seen) + "PROBE";
});
</script>"""
CATCHER = """<script>window.probeErrors = []; addEventListener("error", e => window.probeErrors.push(e.message));</script>"""


def luminance(colour: str) -> float:
    parts = [int(number) / 255 for number in re.findall(r"\d+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


WIDE, PHONE = (1200, 900), (375, 800)


class ReportInBrowser(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.one = self.draw("fair")
        self.two = self.draw("packed", "--node-sort", "binpacking", "--beside", self.one)

    def draw(self, name: str, *options: str | pathlib.Path) -> pathlib.Path:
        report = self.folder / f"{name}.html"
        subprocess.run(
            [TENON, "simulate", "--no-progress", "--nodes", "20", "--pods", "2000", "--queues", "12", "--report", report,
             *options],
            check=True, stdout=subprocess.DEVNULL,
        )
        return report

    def seen(self, report: pathlib.Path, size: tuple[int, int] = WIDE, *options: str) -> dict:
        probed = self.folder / "probed.html"
        # A browser's window has a least width; a frame in it has not.
        text = report.read_text().replace("<head>", "<head>" + CATCHER).replace("</body>", PROBE + "</body>")
        probed.write_text(text)
        frame = self.folder / "frame.html"
        frame.write_text(f"""<!DOCTYPE html><body><iframe src="probed.html" width="{size[0]}" height="{size[1]}"
          style="border:0" onload="setTimeout(() => {{ document.body.textContent =
          document.querySelector('iframe').contentDocument.body.textContent; }}, 0)"></iframe>""")
        done = subprocess.run(
            [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--allow-file-access-from-files", f"--user-data-dir={self.folder / 'profile'}", *options, "--dump-dom",
             frame.as_uri()],
            capture_output=True, text=True, timeout=120, env=os.environ | {"HOME": str(self.folder)},
        )
        found = re.search(r"PROBE(\{.*\})PROBE", done.stdout, re.DOTALL)
        self.assertTrue(found, done.stdout[-2000:] + done.stderr[-2000:])
        return json.loads(found.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))

    def test_scripts_run_and_values_are_shown(self):
        seen = self.seen(self.one)
        self.assertEqual(seen["errors"], [])
        self.assertEqual(seen["ready"], "yes")
        self.assertRegex(seen["tips"]["use"], r"^after [\d.]+ \w+gpu: [\d.]+%memory: [\d.]+%vcore: [\d.]+%$")
        self.assertRegex(seen["tips"]["satisfied"], r"^after [\d.]+ \w+(root\.q\d+: [\d.]+%)?$")
        self.assertRegex(seen["tips"]["job-waits"], r"^at most [\d.]+ \w+jobs: [\d.]+%$")

    def test_values_of_two_runs_are_shown(self):
        seen = self.seen(self.two)
        self.assertEqual(seen["errors"], [])
        self.assertRegex(seen["tips"]["job-waits"], r"packed: [\d.]+%fair: [\d.]+%$")
        self.assertRegex(seen["tips"]["waiting"], r"packed, asks that wait: \d.*fair, asks that wait: \d")

    def test_charts_fit_windows_and_phones(self):
        for report in (self.one, self.two):
            for size in (WIDE, (768, 900), PHONE, (320, 700)):
                with self.subTest(report=report.stem, size=size):
                    seen = self.seen(report, size)
                    self.assertEqual(seen["outside"], [])
                    self.assertEqual(seen["crowded"], [])
                    self.assertEqual(seen["small"], [])
                    self.assertFalse(seen["wide"], "the page scrolls sideways")
                    self.assertGreater(min(seen["plots"]), 180)

    def test_text_is_readable_in_light_and_in_dark(self):
        light = self.seen(self.one, WIDE, "--blink-settings=preferredColorScheme=1")
        dark = self.seen(self.one, WIDE, "--blink-settings=preferredColorScheme=0")
        self.assertGreater(luminance(light["page"]), luminance(light["ink"]))
        self.assertGreater(luminance(dark["ink"]), luminance(dark["page"]))
        for seen in (light, dark):
            bright, dim = sorted((luminance(seen["ink"]), luminance(seen["page"])), reverse=True)
            self.assertGreater((bright + 0.05) / (dim + 0.05), 7)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tenon", required=True, help="the program")
    arguments, rest = parser.parse_known_args()
    if not BROWSER:
        print("skipped: no Chromium here (Debian package chromium)")
        sys.exit(SKIPPED)
    TENON = arguments.tenon
    run_cases(rest)
