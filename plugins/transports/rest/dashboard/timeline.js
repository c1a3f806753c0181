// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The last hours as curves: use, what is pending, what waits, for what and how long, what was decided; of the partition and
// of each queue.
import { h } from "./dom.js";
import { choice, empty } from "./parts.js";
import { get, paths, Refusal } from "./rest.js";
import { amount, count, duration, label, percent, precise, readable, share, types } from "./units.js";

const RANGES = [["15", "15 minutes"], ["60", "1 hour"], ["360", "6 hours"]];
const CURVES = 4;  // of one chart
const WIDTH = 600, HEIGHT = 100;

export const read = (app) => get(`${paths.ours(app.partition)}/history`);
// A server that keeps no history of queues gives none.
export const readQueue = (app, queue) => get(`${paths.queue(app.partition, queue)}/history`).catch((problem) => {
  if (problem instanceof Refusal && problem.status !== 401) return [];
  throw problem;
});

const seconds = (value) => duration(Math.round(value * 1000));
const aMinute = (one, value) => (one.span > 0 ? (value / one.span) * 60e9 : 0);

const counted = (name, at) => ({ name, at, now: (one) => count(Math.round(at(one))) });

// Curves of the amounts under a key, each as a share of what whole() gives for its type.
const shares = (known, key, whole) => known.map((type) => ({ name: label(type), at: (one) => share(one[key][type], whole(one, type)) ?? 0,
  now: (one) => `${percent(share(one[key][type] ?? 0, whole(one, type)))}, ${amount(type, one[key][type])}` }));

// The charts of the partition: what a curve is at a point, what of it is said in words.
function charts(points) {
  const known = types(points[points.length - 1].capacity).slice(0, CURVES);
  const of = (key) => shares(known, key, (one, type) => one.capacity[type]);
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

// The chart of the reasons for which most allocations wait, in points of a queue; the other reasons are one curve.
function reasons(points) {
  const most = new Map();
  for (const one of points)
    for (const [reason, number] of Object.entries(one.waitingFor)) most.set(reason, Math.max(most.get(reason) ?? 0, number));
  const names = [...most.keys()].filter((name) => name !== "others").sort((a, b) => most.get(b) - most.get(a));
  const shown = names.length <= CURVES && !most.has("others") ? names : names.slice(0, CURVES - 1);
  const rest = (one) => Object.entries(one.waitingFor).reduce((sum, [reason, number]) => sum + (shown.includes(reason) ? 0 : number), 0);
  const curves = shown.map((reason) => counted(readable(reason), (one) => one.waitingFor[reason] ?? 0));
  if (shown.length < most.size) curves.push(counted("Other reasons", rest));
  return { name: "Waiting for", unit: "allocations, by what they wait for", least: 5, words: count,
    curves: curves.length > 0 ? curves : [counted("Nothing waits", () => 0)] };
}

// The charts of a queue; `most` has by type what the queue may have.
function queueCharts(points, most) {
  const known = types(most).slice(0, CURVES);
  const of = (key) => shares(known, key, (_, type) => most[type]);
  return [
    ...(known.length === 0 ? [] : [
      { name: "In use", unit: "% of what the queue may have", least: 100, words: percent, curves: of("used") },
      { name: "Pending", unit: "% of what the queue may have", least: 10, words: percent, curves: of("pending") }]),
    reasons(points),
    { name: "Longest wait", unit: "of what waits", least: 1, words: seconds, curves: [
      { name: "Longest", at: (one) => one.oldestWaitSeconds, now: (one) => seconds(one.oldestWaitSeconds) }] },
    { name: "Running", unit: "applications", least: 5, words: count, curves: [counted("Applications", (one) => one.runningApplications)] },
  ];
}

// The upper end of an axis: a round number, or a round time for seconds.
const TIMES = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
function ceiling(value, words) {
  const time = words === seconds ? TIMES.find((one) => one >= value) : undefined;
  if (time) return time;

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
  const top = ceiling(Math.max(least, ...most), words), last = points[points.length - 1];
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

const LEAST = 5;  // minutes of an axis, however short the history is

// Returns the points of the last minutes and the ends of their axis, which begins with the history where that is shorter.
function lately(all, minutes) {
  if (all.length === 0) return { from: 0, to: 0, points: [] };
  const to = all[all.length - 1].time, begin = all[0].time - all[0].span;
  const from = Math.max(to - minutes * 60e9, Math.min(begin, to - LEAST * 60e9));
  return { from, to, points: all.filter((one) => one.time > from) };
}

// The time line of the partition, with what waits in its root queue by reason.
export function timeline(app, all, root) {
  const minutes = Number(app.ui.overview.range);
  const { from, to, points } = lately(all, minutes), waits = lately(root, minutes);
  return h("section", { "aria-labelledby": "timeline-title", "data-key": "timeline" },
    h("h2", { id: "timeline-title" }, "Time line"),
    h("div", { class: "tools" }, choice("timeline-range", "Shown", RANGES, app.ui.overview.range)),
    points.length === 0 ? empty("The scheduler has no history yet.")
      : h("div", { class: "charts" }, charts(points).map((one) => chart(one, points, from, to)),
        waits.points.length === 0 ? null : chart(reasons(waits.points), waits.points, waits.from, waits.to)));
}

// The time line of a queue, for its details.
export function queueTimeline(app, all, most) {
  const { from, to, points } = lately(all, Number(app.ui.queues.range));
  return [h("h3", {}, "Time line"),
    points.length === 0 ? empty("There is no history of this queue yet, or it is not one of the 100 queues that have one.")
      : [h("div", { class: "tools" }, choice("queue-range", "Shown", RANGES, app.ui.queues.range)),
        h("div", { class: "charts" }, queueCharts(points, most).map((one) => chart(one, points, from, to)))]];
}

export const inputs = {
  "timeline-range"(app, element) {
    app.ui.overview.range = element.value;
  },
  "queue-range"(app, element) {
    app.ui.queues.range = element.value;
  },
};
