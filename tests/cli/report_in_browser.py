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

SKIPPED = 77
TENON = ""
BROWSER = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), "")

# Runs after the page's own script: moves a pointer over a chart, and leaves behind what the test looks at.
PROBE = """<script>
addEventListener("load", () => {
  const seen = { ready: document.documentElement.dataset.ready, errors: window.probeErrors, outside: [], tips: {} };
  for (const chart of ["use", "satisfied"]) {
    const svg = document.getElementById(chart), box = svg.getBoundingClientRect();
    svg.dispatchEvent(new PointerEvent("pointermove",
        { clientX: box.left + box.width * 0.5, clientY: box.top + box.height * 0.2, bubbles: true }));
    seen.tips[chart] = document.getElementById("tip").textContent;
  }
  for (const text of document.querySelectorAll("section svg[role=img] text")) {
    const inner = text.getBoundingClientRect(), outer = text.closest("svg").getBoundingClientRect();
    if (inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.top < outer.top - 1 ||
        inner.bottom > outer.bottom + 1) seen.outside.push(text.textContent);
  }
  seen.wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
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


class ReportInBrowser(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        report = self.folder / "report.html"
        subprocess.run(
            [TENON, "simulate", "--no-progress", "--nodes", "20", "--pods", "2000", "--queues", "12", "--report", report],
            check=True, stdout=subprocess.DEVNULL,
        )
        text = report.read_text()
        report.write_text(text.replace("<head>", "<head>" + CATCHER).replace("</body>", PROBE + "</body>"))
        self.report = report

    def seen(self, *options: str) -> dict:
        done = subprocess.run(
            [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             f"--user-data-dir={self.folder / 'profile'}", *options, "--dump-dom", self.report.as_uri()],
            capture_output=True, text=True, timeout=120, env=os.environ | {"HOME": str(self.folder)},
        )
        found = re.search(r"PROBE(\{.*\})PROBE", done.stdout, re.DOTALL)
        self.assertTrue(found, done.stdout[-2000:] + done.stderr[-2000:])
        return json.loads(found.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))

    def test_scripts_run_and_values_are_shown(self):
        seen = self.seen("--window-size=1200,900")
        self.assertEqual(seen["errors"], [])
        self.assertEqual(seen["ready"], "yes")
        self.assertRegex(seen["tips"]["use"], r"^after [\d.]+ \w+gpu: [\d.]+%memory: [\d.]+%vcore: [\d.]+%$")
        self.assertRegex(seen["tips"]["satisfied"], r"^after [\d.]+ \w+root\.q\d+: [\d.]+%$")

    def test_no_label_leaves_its_picture(self):
        self.assertEqual(self.seen("--window-size=1200,900")["outside"], [])

    def test_a_narrow_window_scrolls_pictures_and_not_the_page(self):
        self.assertFalse(self.seen("--window-size=500,800")["wide"])

    def test_text_is_readable_in_light_and_in_dark(self):
        light = self.seen("--blink-settings=preferredColorScheme=1")
        dark = self.seen("--blink-settings=preferredColorScheme=0")
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
    unittest.main(argv=[sys.argv[0], *rest])
