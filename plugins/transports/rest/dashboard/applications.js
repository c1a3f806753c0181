// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Applications: their states, what they have and wait for, and why.
import { h } from "./dom.js";
import { explanation } from "./explanation.js";
import { called, choice, chip, empty, facts, name, object, opener, ordered, paged, pager, search, state, table } from "./parts.js";
import { get, getAll, paths } from "./rest.js";
import { amounts, dominant, plural, readable, since, when } from "./units.js";

export const title = "Applications";
export const event_types = [1, 2];

const FIELDS = ["applicationID", "queueName", "applicationState", "user", "usedResource", "pendingResource",
  "submissionTime", "finishedTime", "rejectedMessage", "hasReserved", "stateLog"];
const FEW = 500;  // active applications that are read with their asks, which say why they wait
const ASKS = 50;  // of an application that are listed at first

const ENDED = ["Completed", "Failed", "Rejected", "Expired"];
const KINDS = [["active", "Active"], ["rejected", "Rejected"], ["completed", "Completed, failed"]];

export function load(app) {
  const kind = app.ui.applications.kind;
  const summary = app.partitions.find((one) => one.key === app.partition);
  const counts = summary?.applications ?? {};
  const active = (counts.total ?? 0) - ENDED.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  const fields = kind === "active" && active <= FEW ? [...FIELDS, "requests"] : FIELDS;
  return getAll(`${paths.partition(app.partition)}/applications/${kind}`, fields);
}

const waits = (application) => Object.keys(application.pendingResource ?? {}).length > 0;

function latest(log) {
  return (log ?? []).reduce((best, one) => (!best || (one.lastOccurrence ?? 0) > (best.lastOccurrence ?? 0) ? one : best), null);
}

// Why it is where it is: what refused it, or what held its asks last.
function reason(app, application) {
  if (application.rejectedMessage) return application.rejectedMessage;
  const logged = latest((application.requests ?? []).map((ask) => latest(ask.allocationLog)).filter(Boolean));
  if (logged) return logged.message;
  if (!waits(application)) return "";
  return app.events.reasons.get(application.applicationID) ?? "";
}

function filtered(app, list) {
  const ui = app.ui.applications;
  const text = (ui.search ?? "").toLowerCase();
  return list.filter((one) => (!ui.queue || one.queueName === ui.queue || one.queueName.startsWith(`${ui.queue}.`)) &&
    (!ui.waiting || waits(one)) &&
    (text === "" || one.applicationID.toLowerCase().includes(text) || one.queueName.toLowerCase().includes(text) ||
      (one.user ?? "").toLowerCase().includes(text) || (one.applicationState ?? "").toLowerCase().includes(text)));
}

// Amounts of several types are sorted by the share of the partition that they are, where they are most.
const columns = (app) => [{ name: "Application", by: (one) => one.applicationID },
  { name: "State", by: (one) => one.applicationState }, { name: "Queue", by: (one) => one.queueName },
  { name: "User", by: (one) => one.user },
  { name: "Has", class: "amounts", by: (one) => dominant(one.usedResource, app.capacity()) },
  { name: "Waits for", class: "amounts", by: (one) => (waits(one) ? dominant(one.pendingResource, app.capacity()) : null) },
  { name: "Reason", class: "long", by: (one) => reason(app, one) },
  { name: "Age", class: "number", first: "ascending", by: (one) => (one.submissionTime ? -one.submissionTime : null) }];

export function render(app, list) {
  const ui = app.ui.applications;
  const shown = columns(app);
  const kept = ordered(app, "applications", shown, filtered(app, list));
  const part = paged(kept, ui.page);
  return [
    h("div", { class: "tools" },
      search("applications", ui.search, "applications"),
      choice("application-kind", "Show", KINDS, ui.kind),
      h("label", { class: "check" }, h("input", { type: "checkbox", id: "application-waiting",
        "data-input": "application-waiting", checked: ui.waiting }), "Only those that wait"),
      ui.queue ? h("button", { type: "button", "data-do": "any-queue" }, `Queue ${ui.queue} ✕`) : null),
    kept.length === 0
      ? empty(list.length === 0 ? `There are no ${ui.kind} applications.` : "No application is like that.")
      : [table(app, "applications", "Applications", shown, part.rows.map((one) => ({ key: one.applicationID, cells: [
        opener("application", one.applicationID),
        state(one.applicationState),
        opener("queue", one.queueName),
        opener("user", one.user),
        one.usedResource ? amounts(one.usedResource) : "—",
        waits(one) ? amounts(one.pendingResource) : "—",
        readable(reason(app, one)) || "—",
        one.submissionTime ? since(one.submissionTime) : "—",
      ] }))), pager("applications", part, "applications")],
  ];
}

// Only active ones can be asked for one by one.
export async function loadDetails(app, id) {
  const listed = (app.data.applications?.value ?? []).find((one) => one.applicationID === id);
  if (listed && app.ui.applications.kind !== "active") return listed;
  const application = await get(paths.partition(app.partition) + paths.application(id));
  const open = app.detail?.ask;
  const waiting = (application.requests ?? []).some((ask) => ask.allocationKey === open);
  if (open && waiting) {
    application.explained = await get(paths.explain(app.partition, id, open)).catch((problem) => ({ problem }));
  }
  return application;
}

function ask(app, one, application) {
  const open = app.detail.ask === one.allocationKey;
  const held = latest(one.allocationLog);
  return h("li", { "data-key": one.allocationKey },
    h("div", { class: "ask" },
      h("strong", {}, object(one)), " ", amounts(one.resource),
      one.placeholder ? [" ", chip("placeholder")] : null,
      one.taskGroupName ? [" ", chip(one.taskGroupName)] : null,
      one.triggeredPreemption ? [" ", chip("preempts", "warn")] : null,
      h("p", { class: "dim" }, `waiting ${one.requestTime ? since(one.requestTime) : ""}`,
        one.priority && one.priority !== "0" ? ` · priority ${one.priority}` : "",
        one.requiredNodeId ? [" · on node ", opener("node", one.requiredNodeId)] : "",
        held ? ` · ${readable(held.message)}` : ""),
      h("button", { type: "button", "data-do": "explain", "data-id": one.allocationKey, "aria-expanded": String(open) },
        open ? "Hide explanation" : "Why does it wait?")),
    open ? explanation(application.explained) : null);
}

function asks(app, application) {
  const all = application.requests ?? [];
  if (all.length === 0) return null;
  const shown = app.detail.asks ?? ASKS;
  return [h("h3", {}, plural(all.length, "ask waits", "asks wait")),
    h("ul", { class: "asks" }, all.slice(0, shown).map((one) => ask(app, one, application))),
    all.length > shown ? h("p", {}, h("button", { type: "button", "data-do": "more-asks" }, "Show more")) : null];
}

function allocations(app, application) {
  const shown = [{ name: "Allocation", by: called }, { name: "Node", by: (one) => one.nodeId },
    { name: "Resources", class: "amounts", by: (one) => dominant(one.resource, app.capacity()) },
    { name: "Since", by: (one) => one.allocationTime }];
  const all = ordered(app, "allocations", shown, application.allocations ?? []);
  if (all.length === 0) return null;
  const part = paged(all, app.detail.page);
  return [h("h3", {}, "Allocations"),
    table(app, "allocations", "Allocations", shown,
      part.rows.map((one) => ({ key: one.allocationKey, cells: [
        [object(one), one.placeholder ? [" ", chip("placeholder")] : null, one.preempted ? [" ", chip("preempted", "warn")] : null],
        opener("node", one.nodeId), amounts(one.resource), one.allocationTime ? when(one.allocationTime) : "—"] }))),
    pager("detail", part, "allocations")];
}

export function details(app, id, application) {
  const log = application.stateLog ?? [];
  const groups = application.placeholderData ?? [];
  const why = reason(app, application);
  return [
    h("p", {}, state(application.applicationState), application.hasReserved ? [" ", chip("reserved a node")] : null),
    why ? h("p", { class: "notice plain" }, readable(why)) : null,
    facts([["Queue", opener("queue", application.queueName)], ["User", opener("user", application.user)],
      ["Groups", (application.groups ?? []).join(", ")], ["Has", amounts(application.usedResource)],
      ["Had at most", application.maxUsedResource && amounts(application.maxUsedResource)],
      ["Waits for", application.pendingResource && amounts(application.pendingResource)],
      ["Submitted", application.submissionTime && when(application.submissionTime)],
      ["Ended", application.finishedTime && when(application.finishedTime)]]),
    asks(app, application),
    groups.length === 0 ? null : [h("h3", {}, "Task groups"),
      table(app, "task-groups", "Task groups", [{ name: "Group" }, { name: "Placeholders" }, { name: "Each" }, { name: "Replaced" }, { name: "Timed out" }],
        groups.map((one) => ({ key: one.taskGroupName, cells: [name(one.taskGroupName), String(one.count ?? 0),
          amounts(one.minResource), String(one.replaced ?? 0), String(one.timedout ?? 0)] })))],
    allocations(app, application),
    log.length === 0 ? null : [h("h3", {}, "States"),
      h("ol", { class: "log" }, log.map((one) => h("li", {}, state(one.applicationState), " ", when(one.time))))],
  ];
}

export const actions = (app, id, application) => {
  if (!application || app.ui.applications.kind !== "active") return [];
  const path = paths.ours(app.partition) + paths.application(id);
  return [
    { id: "move", name: "Move…", does: "It goes to another queue with all it has.", path: `${path}/move`, queue: true },
    { id: "kill", name: "Kill…", does: "It fails; what it has is released.", path: `${path}/kill`, danger: true },
  ];
};

export const handlers = {
  "any-queue"(app) {
    app.ui.applications.queue = "";
  },
  explain(app, { id }) {
    app.detail.ask = app.detail.ask === id ? "" : id;
    if (app.detail.value) app.detail.value.explained = undefined;
    app.reload();
  },
  "more-asks"(app) {
    app.detail.asks = (app.detail.asks ?? ASKS) + ASKS;
  },
};
export const inputs = {
  "application-kind"(app, element) {
    Object.assign(app.ui.applications, { kind: element.value, page: 0 });
    app.forget("applications");
  },
  "application-waiting"(app, element) {
    Object.assign(app.ui.applications, { waiting: element.checked, page: 0 });
  },
};
