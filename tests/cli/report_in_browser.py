#!/usr/bin/env python3
# Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
"""Opens reports in a real browser: they draw their charts, say what these show, and show values under the pointer.

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
  const text = id => document.getElementById(id)?.textContent;
  seen.charts = Object.fromEntries([...document.querySelectorAll(".chart")].map(chart => [chart.id, {
    title: text(`${chart.id}-title`), desc: text(`${chart.id}-desc`), role: chart.getAttribute("role"),
    labelled: chart.getAttribute("aria-labelledby"), section: chart.closest("section").querySelector("h2").textContent,
    y: [...chart.querySelectorAll(".y-axis span")].map(label => label.textContent),
    x: [...chart.querySelectorAll(".x-axis span")].map(label => label.textContent),
    x_title: chart.querySelector(".x-title").textContent,
    rows: [...chart.querySelectorAll(".row .name")].map(name => name.textContent),
    looks: [...chart.querySelectorAll(".curve")].map(line => getComputedStyle(line).strokeDasharray),
    bars: [...chart.querySelectorAll("rect")].map(bar => [...bar.classList][0] + " " + bar.getAttribute("height")),
    broken: [...chart.querySelectorAll("path")].map(path => path.getAttribute("d")).filter(d => /NaN|undefined/.test(d)),
  }]));
  seen.keys = [...document.querySelectorAll(".legend li")].map(key => key.textContent);
  seen.spoken_drawings = document.querySelectorAll("svg:not([aria-hidden])").length;
  seen.captions = [...document.querySelectorAll("caption")].map(caption =>
    [caption.textContent, caption.closest("section").querySelector("h2")?.textContent]);
  for (const chart of ["allocation", "use", "share", "satisfied", "job-waits", "job-slowdowns", "waiting"]) {
    const area = document.querySelector(`#${chart} .track`) || document.querySelector(`#${chart} .plot`);
    if (!area) continue;
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
LOAD = ("--nodes", "20", "--pods", "2000", "--queues", "12")


class ReportInBrowser(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.one = self.draw("fair", *LOAD)
        self.two = self.draw("packed", *LOAD, "--node-sort", "binpacking", "--beside", self.one)

    def draw(self, name: str, *options: str | pathlib.Path) -> pathlib.Path:
        report = self.folder / f"{name}.html"
        subprocess.run([TENON, "simulate", "--no-progress", "--report", report, *options], check=True, stdout=subprocess.DEVNULL)
        return report

    def trace(self, jobs: str) -> str:
        file = self.folder / "trace.swf"
        file.write_text(jobs)
        return f"swf:{file}"

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

    def test_values_are_shown_under_the_pointer(self):
        seen = self.seen(self.one)
        self.assertEqual(seen["errors"], [])
        self.assertEqual(seen["ready"], "yes")
        self.assertRegex(seen["tips"]["use"], r"^after [\d.]+ \w+gpu: [\d.]+%memory: [\d.]+%vcore: [\d.]+%$")
        self.assertRegex(seen["tips"]["share"], r"^after [\d.]+ \w+(root\.q\d+: [\d.]+%){8}4 more queues: [\d.]+%$")
        self.assertRegex(seen["tips"]["satisfied"], r"^after [\d.]+ \w+(root\.q\d+: [\d.]+%)?$")
        self.assertRegex(seen["tips"]["job-waits"], r"^at most [\d.]+ \w+jobs: [\d.]+%$")
        self.assertRegex(seen["tips"]["job-slowdowns"], r"^at most [\d.]+jobs: [\d.]+%$")
        self.assertRegex(seen["tips"]["waiting"], r"^after [\d.]+ \w+asks that wait: [\d.]+$")

    def test_values_of_two_runs_are_shown(self):
        seen = self.seen(self.two)
        self.assertEqual(seen["errors"], [])
        self.assertRegex(seen["tips"]["job-waits"], r"packed: [\d.]+%fair: [\d.]+%$")
        self.assertRegex(seen["tips"]["waiting"], r"packed, asks that wait: \d.*fair, asks that wait: \d")

    def test_every_chart_has_a_title_and_a_description(self):
        seen = self.seen(self.one)
        self.assertEqual(list(seen["charts"]), ["use", "share", "waiting", "job-waits", "job-completions", "job-slowdowns", "waits",
                                                "sizes", "fairness", "satisfied", "fragmentation"])
        for name, chart in seen["charts"].items():
            with self.subTest(chart=name):
                self.assertEqual((chart["role"], chart["labelled"]), ("img", f"{name}-title {name}-desc"))
                self.assertTrue(chart["title"])
                self.assertTrue(chart["desc"])
                self.assertTrue(chart["x"])
                self.assertEqual(chart["broken"], [])
        self.assertEqual(seen["spoken_drawings"], 0)  # a drawing says nothing by itself
        self.assertIn(["Jobs", "How jobs fared"], seen["captions"])

    def test_charts_can_be_read_without_colours(self):
        seen = self.seen(self.two)
        for name in ("use", "waiting", "job-waits", "fairness", "fragmentation"):
            looks = seen["charts"][name]["looks"]
            self.assertEqual(len(looks), {"use": 3, "fragmentation": 4}.get(name, 2))
            self.assertEqual(len(set(looks)), len(looks), name)
        bars = set(seen["charts"]["satisfied"]["bars"])
        self.assertEqual(len({bar.split()[0] for bar in bars}), len({bar.split()[1] for bar in bars}), "a step has a height of its own")
        self.assertTrue(any(re.fullmatch(r"fair, stranded: [\d.]+% on average", key) for key in seen["keys"]), seen["keys"])

    def test_two_runs_are_drawn_side_by_side(self):
        charts = self.seen(self.two)["charts"]
        self.assertLess({"use", "use-other", "share", "share-other", "waiting", "job-waits", "satisfied", "satisfied-other"}, set(charts))
        self.assertEqual(charts["use"]["y"], charts["use-other"]["y"])
        self.assertEqual(charts["waits"]["rows"][:2], ["root.q0 (packed)", "root.q0 (fair)"])

    def test_axes_have_round_numbers_and_dates(self):
        charts = self.seen(self.one)["charts"]
        self.assertEqual(charts["use"]["x"], list("012345678"))
        self.assertEqual(charts["use"]["x_title"], "virtual time, hours")
        self.assertEqual(charts["use"]["y"], ["0%", "25%", "50%", "75%", "100%"])
        self.assertEqual(charts["waiting"]["y"], ["0", "500", "1000", "1500"])
        self.assertEqual(charts["waits"]["x"], ["< 1 s", "10 s", "1 min", "10 min", "1 h"])

        job = " 100 1 -1 -1 -1 -1 -1 1 1 1 -1 0 -1 -1 -1\n"
        for days, ticks in ((1, ["3 Oct", "03:00", "06:00"]), (4, ["3 Oct", "12:00", "4 Oct"]), (180, ["Nov", "Dec", "2018"]),
                            (3000, ["2018", "2019", "2020"])):
            with self.subTest(days=days):  # from 2017-10-03 on
                trace = self.trace(f"; MaxProcs: 2\n; UnixStartTime: 1506988800\n1 0 0{job}2 {days * 86400} 0{job}")
                use = self.seen(self.draw("dates", "--trace", trace))["charts"]["use"]
                self.assertEqual(use["x"][:3], ticks)
                self.assertEqual(use["x_title"], "virtual time, UTC")

    def test_filling_is_drawn_placement_by_placement(self):
        seen = self.seen(self.draw("fill", "--mode", "fill", "--nodes", "10", "--pods", "300"))
        self.assertEqual(list(seen["charts"]), ["use", "share", "fragmentation"])
        self.assertEqual(seen["charts"]["use"]["x_title"], "placements, one after the other")
        self.assertRegex(seen["tips"]["use"], r"^placement [\d.]+gpu: ")

    def test_placed_gpus_are_drawn_against_those_asked_for(self):
        seen = self.seen(self.draw("shuffled", "--mode", "fill", "--nodes", "10", "--shuffle", "1"))
        self.assertEqual(next(iter(seen["charts"])), "allocation")
        self.assertRegex(seen["tips"]["allocation"], r"^per cent asked for: [\d.]+GPUs placed: [\d.]+%$")

    def test_what_differs_is_drawn_above_both_runs(self):
        subprocess.run([TENON, "simulate", "--no-progress", *LOAD, "--record", self.folder / "journal"], check=True,
                       stdout=subprocess.DEVNULL)
        page = self.folder / "diff.html"
        subprocess.run([TENON, "diff", self.folder / "journal", "--node-sort-b", "binpacking", "--report", page], check=True,
                       stdout=subprocess.DEVNULL)
        seen = self.seen(page)
        waits = seen["charts"]["diff-waits"]
        self.assertEqual(seen["errors"], [])
        self.assertEqual((waits["title"], waits["section"]), ("Waiting time by queue, side by side", "Figures"))
        self.assertEqual(waits["rows"][:2], ["root.q0 · a", "root.q0 · b"])

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
