// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Draws the charts of a report from the runs that the page holds, before its tables. The element "run" holds the run, "other"
// the one beside it, if there are two.
import { grouped, percent } from "./axes.js";
import { axis_of, cumulative_chart, layer_keys, line_chart, line_keys, satisfaction_chart, spread_chart, spread_keys, stacked_chart,
  step_keys } from "./charts.js";
import { h } from "./element.js";

const LAYERS = 8, ROWS = 40;  // layers of the stacked chart with a colour of their own, and rows of waiting times

const read = (id) => JSON.parse(document.getElementById(id)?.textContent ?? "null");
const run = read("run"), other = read("other");
const runs = other ? [run, other] : [run], two = runs.length === 2;
const by_time = runs.every((one) => one.curves.by_time), type = run.curves.main_type;
const over = by_time ? "over time" : "while the cluster fills";

const colour_of = (index) => (index < LAYERS ? `c${index + 1}` : "rest");
const colour_of_run = (at) => (at === 0 ? "c1" : "c2");
const run_keys = () => (two ? line_keys(runs.map(({ label }, at) => ({ label, colour: colour_of_run(at), pattern: at }))) : null);
const section = (title, intro, ...inside) => h("section", {}, h("h2", {}, title), h("p", {}, intro), inside);
// Returns a picture for each run, side by side, of what does not go into one.
const each = (draw) => (!two ? draw(run, 0)
  : h("div", { class: "beside" }, runs.map((one, at) => h("div", {}, h("h3", {}, one.label), draw(one, at)))));
const id_of = (name, at) => (at === 0 ? name : `${name}-other`);
const average = (values) => values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
// Takes a table out of a section that the page has without this script.
function table(id) {
  const whole = document.getElementById(id);
  whole.remove();
  return [...whole.children];
}

// Asks that arrived one after the other.
function allocation() {
  const points = Math.max(...runs.map((one) => one.counted.allocation.length));
  if (points === 0) return null;
  const axis = { by_time: false, span: points - 1, intervals: points, title: "GPUs asked for so far, per cent of all",
    place: "per cent asked for:" };
  const lines = runs.map(({ label, counted }, at) => ({ name: two ? label : "GPUs placed", colour: colour_of_run(at), pattern: at, filled: !two,
    values: Array.from({ length: points }, (_, place) => counted.allocation[place] ?? null) }));
  const title = "Allocation against arrival";
  return section(title, "Asks arrive one after the other; what finds no place at once is not tried again.", run_keys(),
    line_chart({ id: "allocation", title, y_title: "GPUs placed",
      desc: "GPUs that are placed, in percent of all, as asks for more and more of them have arrived." }, axis, lines));
}

function use() {
  const title = `Use of the capacity ${over}`, least_top = Math.max(...runs.flatMap((one) => one.curves.use.flatMap(({ values }) => values)));
  return section(title, "What runs, as a part of what all nodes have.", each(({ curves, counted, begins_ms }, at) => {
    const lines = curves.use.map(({ name, values }, index) => {
      const { average: usual, peak } = counted.use[name];
      const label = `${name}: ${percent(usual)}${curves.by_time ? ` on average, ${percent(peak)} at its peak` : " at the end"}`;
      return { name, values, label, colour: colour_of(index), pattern: index % LAYERS, filled: name === type };
    });
    const desc = `Use of each resource type, in percent of its capacity: ${lines.map((line) => line.label).join("; ")}.`;
    return [line_keys(lines), line_chart({ id: id_of("use", at), title, desc, y_title: "part of the capacity" },
      axis_of(curves, begins_ms), lines, { least_top })];
  }));
}

function share() {
  const title = `Who uses the ${type}`;
  const intro = `The resource that is used most, by queue, from the bottom up in the order of the names; beside the names ${
    by_time ? "the average of the run." : "what they have at the end."}`;
  return section(title, intro, each(({ curves, begins_ms }, at) => {
    const layers = curves.queues.slice(0, LAYERS).map(({ name, used }, index) => ({ name, values: used, colour: colour_of(index) }));
    const rest = curves.queues.slice(LAYERS), others = curves.others + rest.length;
    if (others > 0) {
      const values = curves.used_by_others.map((value, place) => rest.reduce((sum, { used }) => sum + used[place], value));
      layers.push({ name: others === 1 ? "one more queue" : `${grouped(others)} more queues`, values, colour: "rest" });
    }
    for (const layer of layers) {
      layer.label = `${layer.name}: ${percent(curves.by_time ? average(layer.values) : layer.values[layer.values.length - 1] ?? 0)}`;
    }
    const desc = `What each queue uses, stacked, in percent of the capacity. The largest is ${curves.queues[0]?.name ?? "none"}.`;
    return [layer_keys(layers),
      stacked_chart({ id: id_of("share", at), title, desc, y_title: "part of the capacity" }, axis_of(curves, begins_ms), layers)];
  }));
}

// Brings a curve of a run to the axis, which a longer run may have made.
function on_axis(axis, { span }, values) {
  return Array.from({ length: axis.intervals }, (_, at) => {
    const place = (axis.span * (at + 0.5)) / axis.intervals;
    return place < span ? values[Math.floor((place / span) * values.length)] ?? null : null;
  });
}

// Returns the lines of all runs in one picture, of curves {key, label, colour}. The longest run makes the axis.
function overlay(text, wanted, percents) {
  const longest = runs.reduce((most, one) => (one.curves.span > most.curves.span ? one : most));
  const axis = axis_of(longest.curves, two ? 0 : run.begins_ms), alone = wanted.length === 1;
  const lines = wanted.flatMap(({ key, label, colour }, number) => runs.map((one, at) => ({
    name: two ? `${one.label}, ${label}` : label, colour: alone && two ? colour_of_run(at) : colour, pattern: number * 2 + at,
    filled: alone && !two && !percents, values: on_axis(axis, one.curves, one.curves[key]) })));
  return line_chart(text, axis, lines, { percents });
}

function waiting_asks() {
  const title = `Asks that wait ${over}`;
  return section(title, "Submitted and not placed, placeholders included.", run_keys(),
    overlay({ id: "waiting", title, desc: "Number of pending asks.", y_title: "asks" },
      [{ key: "waiting", label: "asks that wait", colour: "c1" }], false));
}

function jobs() {
  if (runs.every((one) => one.jobs.jobs === 0)) return null;
  const chart = (id, title, key, seconds) => h("div", {}, h("h3", {}, title), cumulative_chart(
    { id, title, desc: `${title}: the part of all jobs that it was at most so much for. The figures are in the table of jobs.`,
      y_title: "part of all jobs" },
    runs.map((one, at) => ({ name: two ? one.label : "jobs", colour: colour_of_run(at), pattern: at, ...one.jobs[key] })), seconds));
  return section("How jobs fared",
    "A job is all that an application asked for at one moment; it starts with the last of that and ends with the last of it. " +
    "Slowdown is how many times as long as its run a job took from submission to end, runs shorter than 10 s counted as 10 s. " +
    "Jobs that never started hold the curves down.", run_keys(),
    h("div", { class: "beside" }, chart("job-waits", "Wait", "wait_curve", true),
      chart("job-completions", "Completion time", "completion_curve", true),
      chart("job-slowdowns", "Bounded slowdown", "slowdown_curve", false)),
    table("jobs-table"));
}

// Returns the rows of both runs: names of the first run first, then those that only the other has. `rows(run)` are {name, values}.
function rows_of(rows) {
  const all = runs.map((one, at) => rows(one).map((row) => ({ ...row, at })));
  const names = new Set(all.flat().map((row) => row.name));
  return [...names].flatMap((name) => all.flat().filter((row) => row.name === name))
    .map(({ name, values, at }) => ({ name: two ? `${name} (${runs[at].label})` : name, values, colour: colour_of_run(at) }));
}

const SPREAD = "median, nine tenths, 99 of 100 and the longest wait, on a logarithmic axis.";

function waits_by_queue() {
  const count = ([, spread]) => spread.over + spread.open;
  const rows = rows_of(({ counted }) => Object.entries(counted.waits).sort((a, b) => count(b) - count(a))
    .map(([name, values]) => ({ name: name || "(no queue)", values })));
  if (rows.length === 0) return null;
  const more = rows.length > ROWS ? ` ${grouped(rows.length - ROWS)} more rows are in the tables below.` : "";
  const title = "Waiting time by queue", desc = `A row for each queue: ${SPREAD} The figures are in the table of queues.`;
  return section(title, "From submission to placement, by queue, those with the most asks first. Asks that were never placed waited to " +
    `the end of the run.${more}`, spread_keys(), spread_chart({ id: "waits", title, desc }, rows.slice(0, ROWS)));
}

function waits_by_size() {
  const rows = rows_of((one) => one.jobs.sizes.map(({ name, wait }) => ({ name, values: wait })));
  if (rows.length < 2) return null;
  const title = "Waiting time by size of the job", desc = `A row for each range of sizes: ${SPREAD} The figures are in the table of sizes.`;
  return section(title, `By the ${type} that all of the job takes together, the smallest first.`, spread_keys(),
    spread_chart({ id: "sizes", title, desc }, rows));
}

function fairness() {
  const title = `Fairness ${over}`, usual = run.curves.average_fairness, below = "What each queue has of its fair share";
  return section(title,
    "The fair share of a queue is what it would have if every parent gave all children that want something equally much: the largest " +
    "part of any resource counts, measured against guarantees where there are some. The index is 100% where all queues have the same " +
    "part of theirs; there is no line while nobody waits.", run_keys(),
    overlay({ id: "fairness", title, y_title: "Jain’s index", desc: "Jain's index of what the queues have of their fair share, in percent, " +
      `while asks wait. ${usual === null ? "No ask waited." : `On average ${percent(usual)}.`}` },
    [{ key: "fairness", label: "Jain’s index", colour: "c3" }], true),
    h("h3", {}, below), step_keys(), each(({ curves, begins_ms }, at) => satisfaction_chart({ id: id_of("satisfied", at), title: below,
      desc: "A row for each queue, by its use as a part of its fair share: under 25%, 25 to 50%, 50 to 75%, 75 to 95%, about its share, " +
        "up to 150%, more. Empty where it wants nothing." }, axis_of(curves, begins_ms), curves.queues)));
}

function fragmentation() {
  const title = `Fragmentation ${over}`, { average_scattered: scattered, average_stranded: stranded } = run.curves;
  const kinds = [{ key: "scattered", label: "scattered", colour: "c2" }, { key: "stranded", label: "stranded", colour: "c4" }];
  const keys = kinds.flatMap(({ key, label, colour }, number) => runs.map((one, at) => ({ colour, pattern: number * 2 + at,
    label: `${two ? `${one.label}, ` : ""}${label}: ${percent(one.curves[`average_${key}`])} on average` })));
  return section(title,
    "Scattered is what lies on nodes that are used in part. Stranded is what a typical ask of this load cannot use, because its node " +
    "has not enough of it, or of something else. No line: nothing is free.", line_keys(keys),
    overlay({ id: "fragmentation", title, y_title: `part of the free ${type}`, desc: `Parts of the free ${type}, in percent: scattered, on ` +
      `average ${percent(scattered)}; stranded, on average ${percent(stranded)}.` }, kinds, true));
}

function preemptions() {
  if (runs.every((one) => one.counted.preempted === 0)) return null;
  const title = `Preemptions ${over}`;
  return section(title, "Allocations that the scheduler took back for others, added up.", run_keys(),
    overlay({ id: "preempted", title, desc: "Number of allocations that gave way to others so far.", y_title: "allocations so far" },
      [{ key: "preempted", label: "preempted", colour: "c7" }], false), table("preemptions-table"));
}

if (run.curves.use.length > 0) {
  const timed = by_time ? [waiting_asks, jobs, waits_by_queue, waits_by_size, fairness] : [];
  const drawn = [allocation, use, share, ...timed, fragmentation, preemptions].map((draw) => draw());
  document.getElementById("charts").replaceChildren(...drawn.filter((one) => one !== null));
}
// What `tenon diff` wrote into the page: rows of waiting times of both sides.
for (const place of document.querySelectorAll("[data-waits]")) {
  const { id, title, dataset } = place;
  place.replaceWith(spread_keys(), spread_chart({ id, title, desc: `Two rows for each queue: ${SPREAD}` }, JSON.parse(dataset.waits)));
}
document.documentElement.dataset.ready = "yes";
