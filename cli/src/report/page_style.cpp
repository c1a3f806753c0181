// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "report/page_style.hpp"

namespace tenon::cli {

const std::string_view page_style = R"css(
:root {
  color-scheme: light dark;
  --page: #f4f5f7; --card: #ffffff; --ink: #17212b; --soft: #566270; --grid: #e3e7ec; --base: #8a95a1;
  --c1: #2563c9; --c2: #e0730d; --c3: #16876a; --c4: #b5388f; --c5: #8a6d00; --c6: #0b8bb5; --c7: #cc3b3b;
  --c8: #6d4fc4; --rest: #a4adb8;
  --h0: #a8390a; --h1: #dd7a33; --h2: #f0ad74; --h3: #f8dcc0; --h4: #dbe2e9; --h5: #8fbde8; --h6: #3a7fcf;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12171d; --card: #1b222a; --ink: #e8edf2; --soft: #9eabb8; --grid: #2c3641; --base: #64717f;
    --c1: #6ea3ff; --c2: #ff9d4a; --c3: #45c79f; --c4: #ef7cc8; --c5: #d8b640; --c6: #54c3ea; --c7: #ff7f78;
    --c8: #ab93ff; --rest: #6b7684;
    --h0: #ff8a4a; --h1: #cf7038; --h2: #965534; --h3: #5e4538; --h4: #35404b; --h5: #3f6f9f; --h6: #74b4f7;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI",
  Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
main { max-width: 1060px; margin: 0 auto; padding: 40px 20px 60px; }
header p { margin: 4px 0 0; color: var(--soft); overflow-wrap: anywhere; }
h1 { margin: 0; font-size: 28px; line-height: 1.2; letter-spacing: -0.01em; }
h2 { margin: 0 0 4px; font-size: 18px; line-height: 1.3; }
h3 { margin: 24px 0 4px; font-size: 15px; }
section { background: var(--card); border: 1px solid var(--grid); border-radius: 10px; padding: 22px 26px 18px;
  margin-top: 20px; }
section > p { margin: 0 0 12px; color: var(--soft); max-width: 76ch; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(152px, 1fr)); gap: 12px; margin: 24px 0 0;
  padding: 0; list-style: none; }
.tiles li { background: var(--card); border: 1px solid var(--grid); border-radius: 10px; padding: 12px 16px; }
.tiles span { display: block; color: var(--soft); font-size: 13px; }
.tiles strong { display: block; font-size: 24px; line-height: 1.35; font-weight: 600; white-space: nowrap;
  font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
svg { display: block; width: 100%; min-width: 640px; height: auto; font-size: 12.5px; font-family: inherit; }
svg text { fill: var(--soft); font-variant-numeric: tabular-nums; }
svg .name { fill: var(--ink); }
.mid { text-anchor: middle; } .end { text-anchor: end; }
.grid { stroke: var(--grid); } .base { stroke: var(--base); }
.curve { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
.wash { opacity: 0.14; } .layer { stroke: var(--card); stroke-width: 0.35; }
.thin { stroke-width: 1.5; opacity: 0.55; } .mark { stroke-width: 2; } .part { opacity: 0.45; }
.hollow { fill: var(--card); stroke-width: 1.5; }
.cursor { stroke: var(--ink); stroke-width: 1; opacity: 0.6; pointer-events: none; }
.s-c1 { stroke: var(--c1); } .s-c2 { stroke: var(--c2); } .s-c3 { stroke: var(--c3); } .s-c4 { stroke: var(--c4); }
.s-c5 { stroke: var(--c5); } .s-c6 { stroke: var(--c6); } .s-c7 { stroke: var(--c7); } .s-c8 { stroke: var(--c8); }
.s-rest { stroke: var(--rest); }
.f-c1 { fill: var(--c1); } .f-c2 { fill: var(--c2); } .f-c3 { fill: var(--c3); } .f-c4 { fill: var(--c4); }
.f-c5 { fill: var(--c5); } .f-c6 { fill: var(--c6); } .f-c7 { fill: var(--c7); } .f-c8 { fill: var(--c8); }
.f-rest { fill: var(--rest); }
.h0 { fill: var(--h0); } .h1 { fill: var(--h1); } .h2 { fill: var(--h2); } .h3 { fill: var(--h3); }
.h4 { fill: var(--h4); } .h5 { fill: var(--h5); } .h6 { fill: var(--h6); }
.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 6px 0 10px; padding: 0; list-style: none;
  font-size: 13.5px; }
.legend svg { display: inline-block; width: 14px; min-width: 0; height: 14px; margin-right: 7px;
  vertical-align: -2px; }
.legend .hollow-swatch { fill: none; stroke: var(--base); }
.legend .key { width: 34px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: 16px 0 6px; }
th, td { padding: 5px 12px 5px 0; text-align: right; border-bottom: 1px solid var(--grid); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
td.words { text-align: left; white-space: normal; overflow-wrap: anywhere; }
thead th { color: var(--soft); font-weight: 500; font-size: 13px; }
tbody th { font-weight: 400; }
tfoot th, tfoot td { font-weight: 600; border-bottom: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 24px; margin: 12px 0 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
footer { margin-top: 24px; color: var(--soft); font-size: 13px; }
#tip { position: absolute; pointer-events: none; background: var(--card); color: var(--ink);
  border: 1px solid var(--base); border-radius: 6px; padding: 6px 10px; font-size: 13px; line-height: 1.45;
  box-shadow: 0 2px 10px #0003; white-space: nowrap; font-variant-numeric: tabular-nums; }
#tip[hidden] { display: none; }
#tip b { font-weight: 600; } #tip i { display: inline-block; width: 9px; height: 9px; border-radius: 2px;
  margin-right: 7px; }
@media (max-width: 600px) { main { padding: 24px 12px 40px; } section { padding: 18px 14px 14px; } }
@media print { body { background: none; } section { break-inside: avoid; border: 0; padding: 12px 0; } }
)css";

const std::string_view page_script = R"js(
"use strict";
(() => {
  const values = JSON.parse(document.getElementById("values").textContent);
  const tip = document.body.appendChild(document.createElement("div"));
  tip.id = "tip";
  tip.hidden = true;
  for (const chart of values.charts) {
    const svg = document.getElementById(chart.id);
    if (!svg) continue;
    const cursor = document.createElementNS(svg.namespaceURI, "line");
    cursor.setAttribute("class", "cursor");
    const hide = () => { cursor.remove(); tip.hidden = true; };
    svg.addEventListener("pointerleave", hide);
    svg.addEventListener("pointermove", event => {
      const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
      const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
      const part = (x - chart.left) / (chart.right - chart.left);
      if (part < 0 || part >= 1) return hide();
      const at = Math.floor(part * values.intervals);
      const middle = chart.left + (at + 0.5) / values.intervals * (chart.right - chart.left);
      for (const [name, place] of [["x1", middle], ["x2", middle], ["y1", chart.top], ["y2", chart.bottom]]) {
        cursor.setAttribute(name, place);
      }
      svg.append(cursor);
      const unit = values.time ? " " + values.unit : "";
      const shown = ((at + 0.5) / values.intervals * values.span).toPrecision(3);
      tip.replaceChildren();
      const head = tip.appendChild(document.createElement("b"));
      head.textContent = (values.time ? "after " : "placement ") + Number(shown) + unit;
      const row = chart.row ? Math.floor((y - chart.top) / chart.row) : -1;
      chart.lines.forEach((line, index) => {
        const value = line.values[at];
        if (value === null || (chart.row && index !== row)) return;
        const entry = tip.appendChild(document.createElement("div"));
        if (line.colour) {
          entry.appendChild(document.createElement("i")).style.background = "var(--" + line.colour + ")";
        }
        const text = chart.percents ? (value * 100).toFixed(1) + "%" : String(Number(value.toPrecision(4)));
        entry.append(line.name + ": " + text);
      });
      tip.hidden = false;
      const left = event.pageX + 16, width = tip.offsetWidth;
      tip.style.left = (left + width > document.documentElement.clientWidth ? event.pageX - width - 16 : left) + "px";
      const below = event.clientY + 12 + tip.offsetHeight > document.documentElement.clientHeight;
      tip.style.top = event.pageY + (below ? -12 - tip.offsetHeight : 12) + "px";
    });
  }
  document.documentElement.dataset.ready = "yes";
})();
)js";

}  // namespace tenon::cli
