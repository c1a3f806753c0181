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
  --names: 190px; --height: 210px;
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
h3 { margin: 20px 0 4px; font-size: 15px; }
section { background: var(--card); border: 1px solid var(--grid); border-radius: 10px; padding: 22px 26px 18px;
  margin-top: 20px; }
.finding { border-color: var(--c7); border-left-width: 6px; } .finding > p { color: var(--ink); max-width: none; }
section > p { margin: 0 0 12px; color: var(--soft); max-width: 76ch; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(152px, 1fr)); gap: 12px; margin: 24px 0 0;
  padding: 0; list-style: none; }
.tiles li { background: var(--card); border: 1px solid var(--grid); border-radius: 10px; padding: 12px 16px; }
.tiles span { display: block; color: var(--soft); font-size: 13px; overflow-wrap: anywhere; }
.tiles strong { display: block; font-size: 24px; line-height: 1.35; font-weight: 600; white-space: nowrap;
  font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
.beside { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(280px, 100%), 1fr)); gap: 4px 28px; }
.beside > div { min-width: 0; } .beside h3 { margin-top: 8px; overflow-wrap: anywhere; }
.chart { display: grid; grid-template-columns: 3.4em minmax(0, 1fr); column-gap: 8px; margin: 6px 0 2px;
  color: var(--soft); font-size: 12.5px; line-height: 1.3; font-variant-numeric: tabular-nums; }
.chart.rows { grid-template-columns: minmax(0, 1fr); }
.y-title, .x-title { grid-column: 1 / -1; } .x-title { text-align: right; } .y-title { margin-bottom: 6px; }
.y-axis { position: relative; } .rows .y-axis, .rows .y-title { display: none; }
.y-axis span { position: absolute; right: 0; transform: translateY(50%); white-space: nowrap; }
.plot { position: relative; min-width: 0; touch-action: pan-y; }
.plot > svg { height: var(--height); }
.x-axis { position: relative; height: 1.8em; margin-top: 5px; grid-column: -2 / -1; }
.rows .x-axis { margin-left: calc(var(--names) + 10px); }
.x-axis span { position: absolute; transform: translateX(-50%); white-space: nowrap; }
.x-axis .last { transform: translateX(-100%); }
svg { display: block; width: 100%; overflow: visible; }
.row { display: grid; grid-template-columns: var(--names) minmax(0, 1fr); column-gap: 10px; align-items: center; }
.row .name { color: var(--ink); text-align: right; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  line-height: 1.6; }
.track { position: relative; height: 22px; } .track svg { height: 16px; position: relative; top: 3px; }
.track i, .key i { position: absolute; top: 50%; }
.gridline { width: 1px; height: 100%; transform: translateY(-50%); background: var(--grid); }
.thin { height: 2px; margin-top: -1px; opacity: 0.55; } .part { height: 10px; margin-top: -5px; opacity: 0.45; }
.part { border-radius: 2px; } .mark { width: 2px; height: 12px; margin: -6px 0 0 -1px; }
.dot { width: 10px; height: 10px; margin: -5px 0 0 -5px; border-radius: 50%; }
.ring { width: 8px; height: 8px; margin: -4px 0 0 -4px; border-radius: 50%; border: 1.5px solid; background: var(--card); }
.more { margin: -5px 0 0 -3px; border: 5px solid transparent; border-left-color: currentColor; border-right-width: 0; }
.grid { stroke: var(--grid); } .base { stroke: var(--base); }
.grid, .base, .curve, .layer { vector-effect: non-scaling-stroke; }
.curve { fill: none; stroke-width: 1.8; stroke-linejoin: round; } .dashed { stroke-dasharray: 6 4; }
.wash { opacity: 0.14; } .layer { stroke: var(--card); stroke-width: 0.35; }
.cursor { position: absolute; top: 0; height: var(--height); width: 1px; background: var(--ink); opacity: 0.6;
  pointer-events: none; }
.s-c1 { stroke: var(--c1); color: var(--c1); } .s-c2 { stroke: var(--c2); color: var(--c2); }
.s-c3 { stroke: var(--c3); color: var(--c3); } .s-c4 { stroke: var(--c4); color: var(--c4); }
.s-c5 { stroke: var(--c5); } .s-c6 { stroke: var(--c6); } .s-c7 { stroke: var(--c7); } .s-c8 { stroke: var(--c8); }
.s-rest { stroke: var(--rest); }
.f-c1 { fill: var(--c1); background-color: var(--c1); } .f-c2 { fill: var(--c2); background-color: var(--c2); }
.f-c3 { fill: var(--c3); background-color: var(--c3); } .f-c4 { fill: var(--c4); background-color: var(--c4); }
.f-c5 { fill: var(--c5); background-color: var(--c5); } .f-c6 { fill: var(--c6); background-color: var(--c6); }
.f-c7 { fill: var(--c7); background-color: var(--c7); } .f-c8 { fill: var(--c8); background-color: var(--c8); }
.f-rest { fill: var(--rest); background-color: var(--rest); } .f-base { background-color: var(--base); }
.h0 { fill: var(--h0); background: var(--h0); } .h1 { fill: var(--h1); background: var(--h1); }
.h2 { fill: var(--h2); background: var(--h2); } .h3 { fill: var(--h3); background: var(--h3); }
.h4 { fill: var(--h4); background: var(--h4); } .h5 { fill: var(--h5); background: var(--h5); }
.h6 { fill: var(--h6); background: var(--h6); }
.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 6px 0 10px; padding: 0; list-style: none;
  font-size: 13.5px; }
.legend li { overflow-wrap: anywhere; }
.swatch { display: inline-block; width: 14px; height: 14px; border-radius: 3px; margin-right: 7px;
  vertical-align: -2px; }
.dashes { background-image: repeating-linear-gradient(90deg, transparent 0 4px, var(--card) 4px 6px); }
.hollow { border: 1px solid var(--base); }
.key { position: relative; display: inline-block; width: 26px; height: 14px; margin-right: 7px; vertical-align: -2px; }
.key i { left: 50%; } .key .part { left: 1px; width: 24px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding: 16px 0 6px; }
th, td { padding: 5px 12px 5px 0; text-align: right; border-bottom: 1px solid var(--grid); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
thead th { color: var(--soft); font-weight: 500; font-size: 13px; }
tbody th { font-weight: 400; }
tfoot th, tfoot td { font-weight: 600; border-bottom: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 24px; margin: 12px 0 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
#tip { position: absolute; pointer-events: none; background: var(--card); color: var(--ink);
  border: 1px solid var(--base); border-radius: 6px; padding: 6px 10px; font-size: 13px; line-height: 1.45;
  box-shadow: 0 2px 10px #0003; max-width: 90vw; font-variant-numeric: tabular-nums; }
#tip[hidden] { display: none; }
#tip b { font-weight: 600; } #tip i { display: inline-block; width: 9px; height: 9px; border-radius: 2px;
  margin-right: 7px; }
@media (max-width: 640px) {
  :root { --height: 170px; }
  main { padding: 24px 12px 40px; } section { padding: 18px 14px 14px; }
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); } .tiles strong { font-size: 20px; white-space: normal; }
  .row { grid-template-columns: minmax(0, 1fr); } .row .name { text-align: left; } .rows .x-axis { margin-left: 0; }
  .spare { display: none; }
  tbody th { white-space: normal; overflow-wrap: anywhere; min-width: 9em; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; } dd { margin: 0 0 8px; }
}
@media (max-width: 1100px) { .beside .spare { display: none; } }
@media print { body { background: none; } section { break-inside: avoid; border: 0; padding: 12px 0; } }
)css";

const std::string_view page_script = R"js(
"use strict";
(() => {
  const read = id => { const at = document.getElementById(id); return at && JSON.parse(at.textContent); };
  const runs = { run: read("run"), other: read("other") };
  const tip = document.body.appendChild(document.createElement("div"));
  tip.id = "tip";
  tip.hidden = true;
  const valuesOf = line => line.values || line.of.reduce((at, name) => at[name], runs);
  const formats = { percents: v => (v * 100).toFixed(1) + "%", counts: v => String(Number(v.toPrecision(4))) };
  const duration = s => s < 100 ? Number(s.toPrecision(3)) + " s" : s < 6000 ? Number((s / 60).toPrecision(3)) + " min"
    : s < 172800 ? Number((s / 3600).toPrecision(3)) + " h" : Number((s / 86400).toPrecision(3)) + " days";

  // What the pointer is at: a heading, and a value of each line.
  function alongTheRun(chart, part, lines) {
    const at = Math.floor(part * chart.intervals);
    const shown = Number(((at + 0.5) / chart.intervals * chart.span).toPrecision(3));
    return { head: chart.unit ? "after " + shown + " " + chart.unit : chart.place + " " + shown,
      values: lines.map(line => valuesOf(line)[at]), as: formats[chart.kind] || formats.percents };
  }
  function upToAValue(chart, part, lines) {
    const first = chart.seconds ? 0.08 : 0;
    const value = part < first ? 0 : Math.exp(Math.log(chart.most) * Math.min((part - first) / (0.985 - first), 1));
    const parts = lines.map(line => {
      const of = valuesOf(line);
      let at = -1;
      while (at + 1 < of.values.length && of.values[at + 1] <= value) ++at;
      return at < 0 ? 0 : of.parts[at];
    });
    return { head: "at most " + (chart.seconds ? value < 1 ? "1 s" : duration(value) : Number(value.toPrecision(3))),
      values: parts, as: formats.percents };
  }

  for (const chart of read("charts")) {
    const element = document.getElementById(chart.id), plot = element && element.querySelector(".plot");
    if (!plot) continue;
    const cursor = document.createElement("div");
    cursor.className = "cursor";
    const hide = () => { cursor.remove(); tip.hidden = true; };
    plot.addEventListener("pointerleave", hide);
    plot.addEventListener("pointermove", event => {
      const row = chart.kind === "rows" ? event.target.closest(".row") : null;
      const area = chart.kind === "rows" ? row && row.querySelector(".track") : plot;
      if (!area) return hide();
      const box = area.getBoundingClientRect(), part = (event.clientX - box.left) / box.width;
      if (part < 0 || part >= 1) return hide();
      const lines = row ? [chart.lines[[...row.parentElement.children].indexOf(row)]] : chart.lines;
      const found = (chart.kind === "cumulative" ? upToAValue : alongTheRun)(chart, part, lines);
      if (!row) {
        cursor.style.left = part * 100 + "%";
        plot.append(cursor);
      }
      tip.replaceChildren();
      tip.appendChild(document.createElement("b")).textContent = found.head;
      lines.forEach((line, index) => {
        const value = found.values[index];
        if (value === null || value === undefined) return;
        const entry = tip.appendChild(document.createElement("div"));
        if (line.colour) {
          entry.appendChild(document.createElement("i")).style.background = "var(--" + line.colour + ")";
        }
        entry.append(line.name + ": " + found.as(value));
      });
      tip.hidden = false;
      const left = event.pageX + 16, width = tip.offsetWidth, most = document.documentElement.clientWidth;
      tip.style.left = Math.max(4, left + width > most ? Math.min(event.pageX - width - 16, most - width - 4) : left) + "px";
      const below = event.clientY + 12 + tip.offsetHeight > document.documentElement.clientHeight;
      tip.style.top = event.pageY + (below ? -12 - tip.offsetHeight : 12) + "px";
    });
  }
  document.documentElement.dataset.ready = "yes";
})();
)js";

}  // namespace tenon::cli
