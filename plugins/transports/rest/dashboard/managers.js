// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Resource managers: which are connected, since when, and what of theirs waits.
import { h } from "./dom.js";
import { chip, empty, facts, name, opener, ordered, table } from "./parts.js";
import { get } from "./rest.js";
import { count, since, when } from "./units.js";

export const title = "Managers";
export const event_types = [];

export const load = () => get("/tenon/v1/rms");

// What is wrong with it in words; empty: nothing.
export function trouble(rm) {
  const away = rm.since ? `is away since ${when(rm.since)}` : "is away";
  if (!rm.connected) return away;
  if (rm.throttled) return "does not take its answers: nothing new is decided for it";
  return rm.held ? "has not said that its recovery is done: nothing is scheduled for it" : "";
}

const COLUMNS = [{ name: "Resource manager", first: "ascending", by: (rm) => rm.rm },
  { name: "State", by: (rm) => `${rm.connected ? 1 : 0} ${rm.state}` },
  { name: "For", class: "number", by: (rm) => (rm.since ? -rm.since : null) }, { name: "Policy group", by: (rm) => rm.policyGroup },
  { name: "Partitions", by: (rm) => (rm.partitions ?? []).join(" ") },
  { name: "Requests that wait", class: "number", by: (rm) => rm.waitingRequests },
  { name: "Answers not taken", class: "number", by: (rm) => rm.waitingAnswers },
  { name: "Told to come again", class: "number", by: (rm) => rm.retries }, { name: "Version", by: (rm) => rm.version }];

export function render(app, list) {
  if (list.length === 0) return [empty("No resource manager has registered.")];
  return [table(app, "managers", "Resource managers", COLUMNS, ordered(app, "managers", COLUMNS, list).map((rm) => ({ key: rm.rm,
    cells: [opener("rm", rm.rm), rm.connected ? chip(rm.held || rm.throttled ? "held" : "connected", rm.held || rm.throttled ? "warn" : "good")
      : chip("away", "bad"), rm.since ? since(rm.since) : "—", rm.policyGroup || "—", (rm.partitions ?? []).map((one, at) => [at ? ", " : "", name(one)]),
    count(rm.waitingRequests), count(rm.waitingAnswers), count(rm.retries), rm.version || "—"] }))),
  h("p", { class: "dim" }, "Whether one is connected is looked at every 10 s.")];
}

export const loadDetails = load;

export function details(app, id, list) {
  const rm = list.find((one) => one.rm === id);
  if (!rm) return [empty("This resource manager is no longer there.")];
  return [trouble(rm) ? h("p", { class: "notice bad" }, `It ${trouble(rm)}.`) : null,
    facts([["State", rm.state], [rm.connected ? "Connected since" : "Away since", rm.since && when(rm.since)],
      ["Registered", rm.registered && when(rm.registered)],
      ["Version", rm.version], ["Policy group", rm.policyGroup], ["Partitions", (rm.partitions ?? []).join(", ")],
      ["Requests that wait", count(rm.waitingRequests)], ["Answers not taken", count(rm.waitingAnswers)],
      ...Object.entries(rm.build ?? {})])];
}

export const actions = (app, id, list) => (list?.find((one) => one.rm === id)?.held
  ? [{ id: "recovery", name: "Recovery is done", does: "Scheduling for it begins.", path: `/tenon/v1/rm/${encodeURIComponent(id)}/recovery-done` }]
  : []);
