// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The last hours as curves: use, what is pending, what waits and how long, what was decided.
import { h } from "./dom.js";
import { choice, empty } from "./parts.js";
import { get, paths } from "./rest.js";
import { amount, count, duration, label, percent, precise, share, types } from "./units.js";

const RANGES = [["15", "15 minutes"], ["60", "1 hour"], ["360", "6 hours"]];
const CURVES = 4;  // of one chart
const WIDTH = 600, HEIGHT = 100;

export const read = (app) => get(`${paths.ours(app.partition)}/history`);

const seconds = (value) => duration(Math.round(value * 1000));
const aMinute = (one, value) => (one.span > 0 ? (value / one.span) * 60e9 : 0);

// The charts: what a curve is at a point, what of it is said in words.
function charts(points) {
  const last = points[points.length - 1];
  const known = types(last.capacity).slice(0, CURVES);
  const of = (key) => known.map((type) => ({ name: label(type), at: (one) => share(one[key][type], one.capacity[type]) ?? 0,
    now: (one) => `${percent(share(one[key][type], one.capacity[type]))}, ${amount(type, one[key][type])}` }));
  const counted = (name, at) => ({ name, at, now: (one) => count(Math.round(at(one))) });
  return [
    { name: "In use", unit: "% of the capacity", least: 100, words: percent, curves: of("used") },
    { name: "Pending", unit: "% of the capacity", least: 10, words: percent, curves: of("pending") },
    { name: "Waiting", unit: "applications that have not run", least: 5, words: count,
      curves: [counted("Applications", (one) => one.waitingApplications)] },
    { name: "Waited", unit: "by what was placed", least: 1, words: seconds, curves: [
      { name: "On average", at: (one) => one.meanWaitSeconds, now: (one) => seconds(one.meanWaitSeconds) },
      { name: "Longest", at: (one) => one.longestWaitSeconds, now: (one) => seconds(one.longestWaitSeconds) }] },
    { name: "Decisions", unit: "a minute", least: 10, words: (value) => precise(value), curves: [
      counted("All", (one) => aMinute(one, one.decisions)), counted("Placed", (one) => aMinute(one, one.placed)),
      counted("Preempted", (one) => aMinute(one, one.preempted))] },
  ];
}

// The upper end of an axis: a round number.
function ceiling(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= value);
}

function line(points, at, from, to, top) {
  const x = (time) => (Math.max(0, (time - from) / (to - from)) * WIDTH).toFixed(1);
  const y = (value) => (HEIGHT - (Math.min(value, top) / top) * HEIGHT).toFixed(1);
  let path = "";
  for (const one of points) {  // a step as long as the point
    path += `${path ? "L" : "M"}${x(one.time - one.span)} ${y(at(one))}L${x(one.time)} ${y(at(one))}`;
  }
  return path;
}

const hour = (time) => new Date(time / 1e6).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });

function chart({ name, unit, least, words, curves }, points, from, to) {
  const most = curves.map((curve) => Math.max(...points.map(curve.at)));
  const top = ceiling(Math.max(least, ...most)), last = points[points.length - 1];
  const said = curves.map((curve, at) => `${curve.name} ${curve.now(last)}, at most ${words(most[at])}`).join("; ");
  return h("figure", { class: "chart", "data-key": name },
    h("figcaption", {}, h("strong", {}, name), " ", h("span", { class: "dim" }, unit)),
    h("div", { class: "plot" }, h("span", { class: "axis dim", "aria-hidden": "true" }, words(top)),
      h("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": `${name}, ${unit}: ${said}` },
        h("rect", { class: "track", width: WIDTH, height: HEIGHT }),
        h("line", { class: "grid", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
        curves.map((curve, at) => h("path", { class: `curve curve-${at}`, d: line(points, curve.at, from, to, top) })))),
    h("p", { class: "times dim", "aria-hidden": "true" }, h("span", {}, hour(from)), h("span", {}, hour(to))),
    h("ul", { class: "key" }, curves.map((curve, at) => h("li", {},
      h("svg", { viewBox: "0 0 20 6", "aria-hidden": "true" }, h("path", { class: `curve curve-${at}`, d: "M0 3L20 3" })), " ",
      `${curve.name} `, h("span", { class: "dim" }, `${curve.now(last)} · at most ${words(most[at])}`)))));
}

export function timeline(app, all) {
  const minutes = Number(app.ui.overview.range);
  const to = all.length > 0 ? all[all.length - 1].time : 0, from = to - minutes * 60e9;
  const points = all.filter((one) => one.time > from);
  return h("section", { "aria-labelledby": "timeline-title", "data-key": "timeline" },
    h("h2", { id: "timeline-title" }, "Time line"),
    h("div", { class: "tools" }, choice("timeline-range", "Shown", RANGES, app.ui.overview.range)),
    points.length === 0 ? empty("The scheduler has no history yet.")
      : h("div", { class: "charts" }, charts(points).map((one) => chart(one, points, from, to))));
}

export const inputs = {
  "timeline-range"(app, element) {
    app.ui.overview.range = element.value;
  },
};
