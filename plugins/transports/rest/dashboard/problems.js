// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What is wrong, from what the server says: the worst first, each with the view that shows more.
import { h } from "./dom.js";
import { trouble } from "./managers.js";
import { chip, diagnosis, opener, warns } from "./parts.js";
import { amount, label, of, percent, plural, share, types } from "./units.js";

const some = (type, value) => (type === "vcore" ? amount(type, value) : `${amount(type, value)} of ${label(type).toLowerCase()}`);

// The deepest queues that have less than their guarantee while something of that waits in them.
function starved(queue, found) {
  const before = found.length;
  for (const child of queue.children ?? []) starved(child, found);
  if (found.length > before) return;
  const used = queue.allocatedResource ?? {}, pending = queue.pendingResource ?? {}, guaranteed = queue.guaranteedResource ?? {};
  const below = types(guaranteed).filter((type) => (used[type] ?? 0) < guaranteed[type] && (pending[type] ?? 0) > 0);
  if (below.length === 0) return;
  found.push({ bad: true, view: "queues", kind: "queue", id: queue.queuename,
    text: `is below its guarantee with ${below.map((type) => some(type, pending[type])).join(" and ")} waiting`,
    more: below.map((type) => `${label(type)}: ${of(type, used[type], guaranteed[type])}`).join(", ") });
}

function closed(queue, found) {
  for (const child of queue.children ?? []) closed(child, found);
  const waits = Object.keys(queue.pendingResource ?? {}).length > 0;
  if (queue.isLeaf && waits && queue.status && queue.status !== "Active") {
    found.push({ view: "queues", kind: "queue", id: queue.queuename, text: `is ${queue.status.toLowerCase()} with asks waiting` });
  }
}

const VIEW_OF = { "Asks": "applications", "Resource managers": "managers", "Failed nodes": "nodes", "Reservation check": "reservations" };

// Everything that was read; what was not is undefined.
export function problems({ partition, health, queues, managers = [], modules = [] }) {
  const found = [];
  if (partition?.state && partition.state !== "Active") {
    found.push({ bad: true, view: "overview", text: `The partition is ${partition.state.toLowerCase()}` });
  }
  for (const rm of managers) {
    if (trouble(rm)) found.push({ bad: !rm.connected, view: "managers", kind: "rm", id: rm.rm, text: trouble(rm) });
  }
  for (const one of health?.HealthChecks ?? []) {
    if (one.Succeeded) continue;
    const told = one.Name === "Resource managers" ? managers.some(trouble)
      : one.Name === "Scheduling errors" && modules.some((module) => module.faults > 0);
    if (told) continue;  // in words of its own
    const text = diagnosis(one) || one.Description;
    found.push({ bad: !warns(one), view: VIEW_OF[one.Name] ?? "modules", text: text.startsWith(one.Name) ? text : `${one.Name}: ${text}` });
  }
  for (const one of modules) {
    if (one.faults > 0) {
      found.push({ view: "modules", text: `Module ${one.module} had ${plural(one.faults, "fault")}`, more: one.lastFault });
    }
  }
  if (queues) {
    starved(queues, found);
    closed(queues, found);
    if (!partition?.totalNodes && Object.keys(queues.pendingResource ?? {}).length > 0) {
      found.push({ bad: true, view: "nodes", text: "Asks wait, and the partition has no node" });
    }
  }
  return found.sort((a, b) => Boolean(b.bad) - Boolean(a.bad));
}

const SHOWN = 50;

// What waits, beside problems or without any: it may be more than there is.
function waiting(app, pending = {}, calm) {
  const waits = types(pending).filter((type) => pending[type] > 0);
  if (waits.length === 0) {
    return calm ? h("p", { class: "notice good", role: "status" }, "There is no problem that the scheduler knows of.") : null;
  }
  const capacity = app.capacity();
  return h("p", { class: "notice plain", role: "status", "data-key": "waiting" }, calm ? "The scheduler knows of no fault. " : "", "Asks wait for ",
    waits.map((type) => some(type, pending[type]) + (capacity[type] ? ` (${percent(share(pending[type], capacity[type]))} of the partition)` : "")).join(", "),
    ". ", h("a", { href: "#/applications" }, "Applications ›"));
}

export function list(app, all, pending) {
  return h("section", { "aria-labelledby": "problems-title", "data-key": "problems", class: "problems" },
    h("h2", { id: "problems-title" }, "Problems"),
    waiting(app, pending, all.length === 0),
    all.length === 0 ? null
      : h("ul", {}, all.slice(0, SHOWN).map((one) => h("li", { "data-key": `${one.view} ${one.id ?? ""} ${one.text}` },
        chip(one.bad ? "problem" : "warning", one.bad ? "bad" : "warn"), " ",
        one.id ? [opener(one.kind, one.id), " "] : null, one.text, one.more ? h("span", { class: "dim" }, ` (${one.more})`) : null, " ",
        one.view === "overview" ? null : h("a", { href: `#/${one.view}` }, `${app.views[one.view].title} ›`)))),
    all.length > SHOWN ? h("p", { class: "dim" }, `and ${all.length - SHOWN} more`) : null);
}
