// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The charts of a report. A drawing is SVG, 1000 wide and 100 high, that stretches to the width there is; its texts are the
// page's, beside it, so that a chart can be read on a phone. Colours are variables of report.css.
import { digits, date_ticks, duration, log_place, log_ticks, log_value, number_ticks, percent, percent_ticks, time_ticks,
  time_unit } from "./axes.js";
import { h } from "./element.js";
import { watch } from "./pointer.js";

const exact_percent = (value) => `${(value * 100).toFixed(1)}%`;
const missing = (value) => value === null || value === undefined;
const rounded = (value) => Number(value.toFixed(2));
const largest = (least, values) => values.reduce((most, value) => (missing(value) ? most : Math.max(most, value)), least);

const drawing = (...inside) =>
  h("svg", { viewBox: "0 0 1000 100", preserveAspectRatio: "none", "aria-hidden": "true" }, inside);
const path = (d, look) => (d ? h("path", { d, class: look }) : null);
// A line of a chart has a pattern besides its colour, so that it can be told from others without seeing colours.
const stroke = ({ colour, pattern = 0 }) => `curve s-${colour} dashes-${pattern}`;

// What is beside the drawing for those who do not see it: `title` and `desc`.
function framed({ id, title, desc, y_title = "" }, look, y_axis, plot, x_axis, x_title) {
  return h("div", { class: look, role: "img", id, "aria-labelledby": `${id}-title ${id}-desc` },
    h("span", { hidden: true, id: `${id}-title` }, title), h("span", { hidden: true, id: `${id}-desc` }, desc),
    h("div", { class: "y-title" }, y_title), h("div", { class: "y-axis" }, y_axis), plot,
    h("div", { class: "x-axis" }, x_axis), h("div", { class: "x-title" }, x_title));
}

const grid = (ticks, top) => [...ticks.filter((tick) => tick.at > 0), { at: 0 }].map(({ at }) => {
  const y = rounded(100 * (1 - at / top));
  return h("line", { x1: 0, x2: 1000, y1: y, y2: y, class: at > 0 ? "grid" : "base" });
});

const y_labels = (ticks, top, unit) =>
  ticks.map(({ at, text }) => h("span", { style: `bottom:${rounded((100 * at) / top)}%` }, text + unit));

// Where there is little room, every second label is left out.
const x_labels = (ticks, span) => ticks.map(({ at, text }, number) => {
  const part = rounded((100 * at) / span), looks = ["tick"];
  if (part > 94) looks.push("last");
  if (ticks.length > 4 && number % 2 === 1) looks.push("spare");
  return h("span", { class: looks.join(" "), style: `left:${part}%` }, text);
});

// The axis from left to right: virtual time, with dates where they are known, or what is counted instead.
export const axis_of = ({ by_time, span, intervals }, begins) =>
  ({ by_time, span, intervals, begins: by_time ? begins : 0, title: "placements, one after the other", place: "placement" });

function x_axis_of({ by_time, span, begins, title }) {
  const ticks = !by_time ? number_ticks(span, 8) : begins ? date_ticks(begins, span, 8) : time_ticks(span, 8);
  const what = !by_time ? title : begins ? "virtual time, UTC" : `virtual time, ${time_unit(span).name}`;
  return [x_labels(ticks, span), what];
}

// Returns what is shown under a pointer at this part of the axis.
function at_place(axis, part, lines, words) {
  const at = Math.floor(part * axis.intervals), unit = axis.by_time ? time_unit(axis.span) : { seconds: 1 };
  const shown = digits((((at + 0.5) / axis.intervals) * axis.span) / unit.seconds, 3);
  return { head: axis.by_time ? `after ${shown} ${unit.name}` : `${axis.place} ${shown}`,
    lines: lines.filter((line) => !missing(line.values[at])).map(({ name, colour, values }) => ({ name, colour, text: words(values[at]) })) };
}

// Returns the points of a curve through the middles of its intervals. The ends lie on the edges, so that one interval alone is
// seen as well.
function points(values, from, to, top) {
  const x = (interval) => rounded((1000 * interval) / values.length);
  const y = (value) => rounded(100 * (1 - Math.min(Math.max(value, 0), top) / top));
  const middles = values.slice(from, to).map((value, at) => `${x(from + at + 0.5)} ${y(value)}`);
  return [`${x(from)} ${y(values[from])}`, ...middles, `${x(to)} ${y(values[to - 1])}`];
}

// The curve is broken where there is no value.
function line_path(values, top) {
  let out = "";
  for (let from = 0; from < values.length; ++from) {
    if (missing(values[from])) continue;
    let to = from;
    while (to < values.length && !missing(values[to])) ++to;
    out += `M${points(values, from, to, top).join("L")}`;
    from = to;
  }
  return out;
}

const band_path = (below, above, top) =>
  `M${[...points(above, 0, above.length, top), ...points(below, 0, below.length, top).reverse()].join("L")}Z`;

const whole_percents = (most) => (most < 1.001 ? 1 : most);  // rounding must not stretch the axis

// Draws lines {name, colour, pattern, values, filled}. Percents go from 0 to 100, and further only where a line does.
// `least_top`: the axis goes up to that at least, so that two charts can be compared.
export function line_chart(text, axis, lines, { percents = true, least_top = 0 } = {}) {
  const most = largest(least_top, lines.flatMap((line) => line.values));
  const top = percents ? whole_percents(most) : Math.max(most * 1.05, 1);
  const ticks = percents ? percent_ticks(top) : number_ticks(top, 4);
  const plot = h("div", { class: "plot" }, drawing(grid(ticks, top), lines.map((line) => [
    line.filled ? path(band_path(line.values.map(() => 0), line.values, top), `wash f-${line.colour}`) : null,
    path(line_path(line.values, top), stroke(line))])));
  watch(plot, plot, (part) => at_place(axis, part, lines, percents ? exact_percent : (value) => digits(value, 4)));
  return framed(text, "chart", y_labels(ticks, top, percents ? "%" : ""), plot, ...x_axis_of(axis));
}

// Draws curves in percents on one another, the first at the bottom.
export function stacked_chart(text, axis, layers) {
  const sums = [Array(axis.intervals).fill(0)];
  for (const { values } of layers) sums.push(sums[sums.length - 1].map((below, at) => below + values[at]));
  const top = whole_percents(largest(1, sums[sums.length - 1])), ticks = percent_ticks(top);
  const plot = h("div", { class: "plot" }, drawing(grid(ticks, top),
    layers.map(({ colour }, at) => path(band_path(sums[at], sums[at + 1], top), `layer f-${colour}`))));
  watch(plot, plot, (part) => at_place(axis, part, layers, exact_percent));
  return framed(text, "chart", y_labels(ticks, top, "%"), plot, ...x_axis_of(axis));
}

const row = (name, track) => h("div", { class: "row" }, h("span", { class: "name", title: name }, name), track);

// Steps of what a queue has of its fair share: the upper end, and what the step is called. A higher step is a higher bar.
export const STEPS = [[0.25, "under 25%"], [0.5, "25–50%"], [0.75, "50–75%"], [0.95, "75–95%"], [1.05, "its share"], [1.5, "105–150%"],
  [Infinity, "more than 150%"]];
export const step_height = (step) => Math.round(((step + 1) / STEPS.length) * 100);
const step_of = (value) => (missing(value) ? -1 : STEPS.findIndex(([end]) => value < end));

function bars(values) {
  const steps = values.map(step_of), out = [], x = (at) => rounded((1000 * at) / values.length);
  for (let from = 0, to; from < steps.length; from = to) {
    for (to = from; steps[to] === steps[from]; ++to);
    if (steps[from] < 0) continue;
    const height = step_height(steps[from]);
    out.push(h("rect", { x: x(from), y: 100 - height, width: rounded(x(to) - x(from)), height, class: `h${steps[from]}` }));
  }
  return out;
}

// Draws a row for each queue, by what it has of its fair share.
export function satisfaction_chart(text, axis, queues) {
  const plot = h("div", { class: "plot" });
  for (const { name, satisfied } of queues) {
    const track = h("div", { class: "track" }, drawing(bars(satisfied)));
    watch(track, null, (part) => at_place(axis, part, [{ name, values: satisfied }], exact_percent));
    plot.append(row(name, track));
  }
  return framed(text, "chart rows", [], plot, ...x_axis_of(axis));
}

function mark(look, from, to = null) {
  const width = to === null ? "" : `;width:${rounded((to - from) * 100)}%`;
  return h("i", { class: look, style: `left:${rounded(from * 100)}%${width}` });
}

// Draws a row for each of {name, colour, values}: median, nine tenths, 99 of 100 and the longest, in seconds on a logarithmic
// axis.
export function spread_chart(text, rows) {
  const axis = { most: largest(10, rows.map((one) => one.values.most.value)), seconds: true }, ticks = log_ticks(axis);
  const plot = h("div", { class: "plot" }, rows.map(({ name, colour, values }) => {
    const [half, tenths, hundredths, most] = ["p50", "p90", "p99", "most"].map((key) => log_place(axis, values[key].value));
    return row(name, h("div", { class: "track" }, ticks.map((tick) => mark("gridline", tick.at)), mark(`thin f-${colour}`, half, most),
      mark(`part f-${colour}`, half, tenths), mark(`mark f-${colour}`, hundredths),
      mark(`${values.most.at_least ? "more" : "ring"} s-${colour}`, most), mark(`dot f-${colour}`, half)));
  }));
  return framed(text, "chart rows", [], plot, x_labels(ticks, 1), "time, logarithmic");
}

// Draws for lines {name, colour, pattern, values, parts} which part of all jobs has at most a value, on a logarithmic axis: of
// seconds, or of numbers from 1 on.
export function cumulative_chart(text, lines, seconds) {
  const axis = { most: largest(seconds ? 10 : 2, lines.flatMap((line) => line.values)), seconds };
  const ticks = percent_ticks(1), x = (value) => rounded(1000 * log_place(axis, value)), y = (part) => rounded(100 * (1 - part));
  const steps = ({ values, parts }) => values.map((value, at) => `${x(value)} ${y(parts[at - 1] ?? 0)}L${x(value)} ${y(parts[at])}`);
  const plot = h("div", { class: "plot" }, drawing(grid(ticks, 1), lines.filter((line) => line.values.length > 0).map((line) =>
    path(`M${steps(line).join("L")}L1000 ${y(line.parts[line.parts.length - 1])}`, stroke(line)))));
  watch(plot, plot, (part) => {
    const value = log_value(axis, part), shown = seconds ? duration(Math.max(value, 1)) : digits(value, 3);
    return { head: `at most ${shown}`, lines: lines.map(({ name, colour, values, parts }) =>
      ({ name, colour, text: percent(parts[values.findLastIndex((one) => one <= value)] ?? 0) })) };
  });
  return framed(text, "chart", y_labels(ticks, 1, "%"), plot, x_labels(log_ticks(axis), 1), seconds ? "time, logarithmic" : "logarithmic");
}

// -- Keys: what the marks of a chart stand for. --

const list = (entries) => h("ul", { class: "legend" }, entries.map(([look, label]) => h("li", {}, look, label)));

export const line_keys = (lines) => (lines.length === 0 ? null : list(lines.map((line) => [
  h("svg", { viewBox: "0 0 26 8", "aria-hidden": "true", class: "key" }, path("M0 4L26 4", stroke(line))), line.label])));

export const layer_keys = (layers) =>
  list(layers.map(({ colour, label }) => [h("i", { class: `swatch f-${colour}`, "aria-hidden": "true" }), label]));

export const step_keys = () => list([...STEPS.map(([, label], step) => [
  h("svg", { viewBox: "0 0 14 100", preserveAspectRatio: "none", "aria-hidden": "true", class: "swatch" },
    h("rect", { y: 100 - step_height(step), width: 14, height: step_height(step), class: `h${step}` })), label]),
  [h("i", { class: "swatch hollow", "aria-hidden": "true" }), "wants nothing"]]);

export const spread_keys = () => list([["dot f", "median"], ["part f", "to nine tenths"], ["mark f", "99 of 100"], ["ring s", "longest"],
  ["more s", "longest, and not over yet"]].map(([look, label]) =>
  [h("span", { class: "key", "aria-hidden": "true" }, h("i", { class: `${look}-c1` })), label]));
