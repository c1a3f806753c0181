// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The queue tree: what each queue uses of what it is guaranteed and may have at most.
import { h } from "./dom.js";
import { chip, empty, facts, meter, name as words, opener, search, state, table } from "./parts.js";
import { get, paths } from "./rest.js";
import { queueTimeline, readQueue } from "./timeline.js";
import { amount, amounts, count, label, plural, types } from "./units.js";

export const title = "Queues";
export const event_types = [2, 4];

const FEW = 200;         // queues of a tree that is shown whole
const AT_ONCE = 100;     // children and matches that are shown at first
const METERS = 3;        // types shown for each queue

export const load = (app) => get(`${paths.partition(app.partition)}/queues`);

// All queues below and with this one, parents first.
export function flat(queue) {
  const all = [queue];
  for (let i = 0; i < all.length; ++i) all.splice(i + 1, 0, ...(all[i].children ?? []));
  return all;
}

const last = (path) => path.slice(path.lastIndexOf(".") + 1);

// By path what each queue may have: the least of its max, those above it and what the partition has, and whose that is.
export function effective(root, capacity) {
  const all = new Map();
  const go = (queue, above) => {
    const own = { ...above };
    for (const [type, max] of Object.entries(queue.maxResource ?? {})) {
      if (own[type] === undefined || max < own[type].max) own[type] = { max, of: queue.queuename };
    }
    all.set(queue.queuename, own);
    for (const child of queue.children ?? []) go(child, own);
  };
  go(root, Object.fromEntries(Object.entries(capacity).map(([type, max]) => [type, { max, of: "the partition" }])));
  return all;
}

function meters(app, queue, most, shown) {
  const seen = types(queue.allocatedResource, queue.maxResource, queue.guaranteedResource).slice(0, shown);
  if (seen.length === 0) return h("p", { class: "dim" }, "nothing used, nothing promised");
  return h("div", { class: "meters" }, seen.map((type) => meter(type, {
    used: queue.allocatedResource?.[type], max: most.get(queue.queuename)?.[type]?.max,
    guaranteed: queue.guaranteedResource?.[type],
  })));
}

function applications(queue) {
  const running = queue.runningApps ?? 0;
  const most = queue.maxRunningApps ? ` of ${count(queue.maxRunningApps)}` : "";
  return `${count(running)}${most} running`;
}

function row(app, queue, most, name, before) {
  return h("div", { class: "queue" },
    h("div", { class: "queue-name" }, before, opener("queue", queue.queuename, name),
      queue.status && queue.status !== "Active" ? state(queue.status) : null,
      queue.isManaged ? null : chip("dynamic")),
    h("p", { class: "queue-apps dim" }, applications(queue),
      Object.keys(queue.pendingResource ?? {}).length > 0 ? ` · waiting for ${amounts(queue.pendingResource)}` : null),
    meters(app, queue, most, METERS));
}

function branch(app, queue, most, small) {
  const ui = app.ui.queues;
  const children = queue.children ?? [];
  const depth = queue.queuename.split(".").length;
  const open = children.length > 0 && (ui.open.get(queue.queuename) ?? (small || depth < 2));
  const toggle = children.length === 0 ? h("span", { class: "leaf" })
    : h("button", { type: "button", class: "toggle", "data-do": "toggle-queue", "data-id": queue.queuename,
      "aria-expanded": String(open), "aria-label": `Queues below ${queue.queuename}` }, open ? "▾" : "▸");
  const shown = ui.more.get(queue.queuename) ?? AT_ONCE;
  return h("li", { "data-key": queue.queuename },
    row(app, queue, most, last(queue.queuename), toggle),
    !open ? null : h("ul", {}, children.slice(0, shown).map((child) => branch(app, child, most, small)),
      children.length <= shown ? null : h("li", { "data-key": "more of it" },
        h("button", { type: "button", "data-do": "more-queues", "data-id": queue.queuename },
          `Show more (${count(children.length - shown)} left)`))));
}

export function render(app, root) {
  const ui = app.ui.queues;
  const all = flat(root);
  const text = (ui.search ?? "").toLowerCase();
  const found = text === "" ? [] : all.filter((queue) => queue.queuename.toLowerCase().includes(text));
  const most = effective(root, app.capacity());
  const leaves = all.filter((queue) => queue.isLeaf).length;
  return [
    h("div", { class: "tools" }, search("queues", ui.search, "queues"),
      h("p", { class: "dim", role: "status" }, text === ""
        ? `${plural(all.length, "queue")}, ${count(leaves)} of them leaves`
        : `${plural(found.length, "queue")} found`)),
    h("p", { class: "legend dim" }, "A bar is what is used of what the queue may have: the least of its own max, ",
      "those of the queues above it and what the partition has. The mark is what is guaranteed."),
    text === ""
      ? h("ul", { class: "tree" }, branch(app, root, most, all.length <= FEW))
      : found.length === 0 ? empty(`No queue's name has “${ui.search}” in it.`)
        : h("ul", { class: "tree" }, found.slice(0, AT_ONCE).map((queue) =>
          h("li", { "data-key": queue.queuename }, row(app, queue, most, queue.queuename, null)))),
  ];
}

function amountTable(app, queue, most) {
  const columns = [["Used", "allocatedResource"], ["Guaranteed", "guaranteedResource"], ["Max", "maxResource"],
    ["Waiting", "pendingResource"], ["Headroom", "headroom"], ["Being preempted", "preemptingResource"]];
  const shown = columns.filter(([, key]) => Object.keys(queue[key] ?? {}).length > 0);
  const all = types(...shown.map(([, key]) => queue[key]), most);
  if (all.length === 0) return empty("Nothing is used and nothing is configured.");
  const number = (name) => ({ name, class: "number" });
  return table(app, "queue-amounts", "Resources of the queue",
    [{ name: "Resource" }, ...shown.map(([name]) => number(name)), number("May have"), { name: "For the max of" }],
    all.map((type) => ({ key: type, cells: [label(type),
      ...shown.map(([, key]) => (queue[key]?.[type] === undefined ? "—" : amount(type, queue[key][type]))),
      most[type] ? amount(type, most[type].max) : "—", most[type] ? words(most[type].of) : "—"] })));
}

export const loadDetails = readQueue;

// What the details of a queue say; null: it is no longer there.
export function details(app, name, history) {
  const root = app.data.queues?.value;
  const queue = root && flat(root).find((one) => one.queuename === name);
  if (!queue) return null;
  const properties = Object.entries(queue.properties ?? {});
  const most = effective(root, app.capacity()).get(name) ?? {};
  return [
    h("p", {}, state(queue.status), " ", chip(queue.isLeaf ? "leaf" : "parent"), " ",
      chip(queue.isManaged ? "configured" : "dynamic")),
    h("h3", {}, "Resources"), amountTable(app, queue, most),
    history ? queueTimeline(app, history, Object.fromEntries(Object.entries(most).map(([type, one]) => [type, one.max]))) : null,
    h("h3", {}, "Applications"),
    facts([["Running", applications(queue)],
      ["Accepted, starting", (queue.allocatingAcceptedApps ?? []).join(", ")],
      ["Highest priority that waits", queue.currentPriority || null]]),
    queue.isLeaf ? h("p", {}, h("button", { type: "button", "data-do": "applications-of", "data-id": name },
      "Applications of this queue")) : null,
    h("h3", {}, "Policies"),
    facts([["Order", queue.sortingPolicy], ["Priorities in the order", queue.prioritySorting ? "yes" : "no"],
      ["Preemption", queue.preemptionEnabled ? (queue.isPreemptionFence ? "yes, a fence" : "yes") : "no"],
      ["Preemption after", queue.preemptionDelay], ["Quota preemption after", queue.quotaPreemptionDelay],
      ["Priority offset", queue.priorityOffset], ["Priority fence", queue.isPriorityFence ? "yes" : null]]),
    properties.length === 0 ? null : [h("h3", {}, "Properties"), facts(properties)],
  ];
}

export const actions = (app, name) => {
  const root = app.data.queues?.value;
  const queue = root && flat(root).find((one) => one.queuename === name);
  if (!queue || !queue.isManaged) return [];
  const path = paths.queue(app.partition, name);
  return queue.status === "Active"
    ? [{ id: "stop", name: "Stop queue", does: `Nothing new is scheduled in ${name}; what runs goes on.`, path: `${path}/stop` }]
    : [{ id: "start", name: "Start queue", does: `${name} is scheduled again.`, path: `${path}/start` }];
};

export const handlers = {
  "toggle-queue"(app, { id }, button) {
    app.ui.queues.open.set(id, button.getAttribute("aria-expanded") !== "true");
  },
  "more-queues"(app, { id }) {
    app.ui.queues.more.set(id, (app.ui.queues.more.get(id) ?? AT_ONCE) + AT_ONCE);
  },
  "applications-of"(app, { id }) {
    Object.assign(app.ui.applications, { queue: id, search: "", page: 0, kind: "active" });
    app.close();
    app.go("applications");
  },
};
