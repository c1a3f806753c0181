// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Devices: a map of what each has free, and who holds the rest.
import { h } from "./dom.js";
import { choice, chip, empty, name, opener, ordered, search, table } from "./parts.js";
import { get, paths } from "./rest.js";
import { amount, amounts, count, plural } from "./units.js";

export const title = "Devices";
export const event_types = [2, 3];

const AT_ONCE = 100;  // nodes that are shown at first

export const load = (app) => get(`${paths.ours(app.partition)}/devices`);

// A node's devices of one type, one by one: free, of how much, and who has how much of it.
function single({ amount: each, free, held }) {
  return free.map((left, at) => ({ at, left, each: each || left,
    by: held.filter((one) => one.devices.includes(at)).map((one) => ({ ...one, has: one.amount })) }));
}

const used = (one) => (one.each > 0 ? Math.max(0, (one.each - one.left) / one.each) : 0);
const level = (one) => (used(one) === 0 ? "free" : used(one) >= 1 ? "taken" : "partly");
const LEVELS = { free: "free", partly: "partly in use", taken: "all in use" };

const holders = (one) => [...new Set(one.by.map((share) => share.applicationID))];

function box(node, type, one, text) {
  const by = holders(one);
  const words = `${node.nodeID}, ${type} ${one.at}: ${LEVELS[level(one)]}${by.length ? `, ${by.join(", ")}` : ""}`;
  const found = text !== "" && by.some((id) => id.toLowerCase().includes(text));
  return h("button", { type: "button", class: `device ${level(one)}${found ? " found" : ""}`, "data-do": "open", "data-kind": "devices",
    "data-id": node.nodeID, "aria-label": words, title: words },
  level(one) !== "partly" ? null : h("svg", { viewBox: "0 0 10 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    h("rect", { class: "fill", y: (10 - used(one) * 10).toFixed(2), width: 10, height: (used(one) * 10).toFixed(2) })));
}

function sums(list, type) {
  const all = list.flatMap((node) => node.devices.filter((one) => one.type === type).flatMap(single));
  const of = (wanted) => count(all.filter((one) => level(one) === wanted).length);
  return h("p", { role: "status" }, h("strong", {}, plural(all.length, `device of ${type}`, `devices of ${type}`)), " · ",
    h("span", { class: "device free key" }), ` ${of("free")} free · `, h("span", { class: "device partly key" }), ` ${of("partly")} partly in use · `,
    h("span", { class: "device taken key" }), ` ${of("taken")} all in use`);
}

export function render(app, list) {
  if (list.length === 0) return [empty("No node of this partition has divided a type into devices.")];
  const ui = app.ui.devices, known = [...new Set(list.flatMap((node) => node.devices.map((one) => one.type)))].sort();
  const type = known.includes(ui.type) ? ui.type : known[0], text = (ui.search ?? "").toLowerCase();
  const has = (node, what) => node.devices.some((one) => one.type === type && what(one));
  const kept = list.filter((node) => has(node, (one) => text === "" || node.nodeID.toLowerCase().includes(text) ||
    one.held.some((share) => share.applicationID.toLowerCase().includes(text))));
  const shown = ui.more ?? AT_ONCE;
  return [
    h("div", { class: "tools" }, search("devices", ui.search, "nodes, applications"),
      choice("device-type", "Type", known.map((one) => [one, one]), type)),
    sums(list, type),
    h("p", { class: "legend dim" }, "A square is a device; it opens the devices of its node. What a searched application holds is framed."),
    kept.length === 0 ? empty("No node is like that.")
      : h("ul", { class: "devices" }, kept.slice(0, shown).map((node) => h("li", { "data-key": node.nodeID },
        h("p", {}, opener("node", node.nodeID), node.schedulable ? null : [" ", chip("not schedulable", "warn")]),
        h("div", { class: "boxes" }, node.devices.filter((one) => one.type === type).flatMap(single).map((one) => box(node, type, one, text)))))),
    kept.length > shown ? h("p", {}, h("button", { type: "button", "data-do": "more-devices" }, `Show more (${count(kept.length - shown)} left)`)) : null,
  ];
}

export const loadDetails = load;

const COLUMNS = [{ name: "Device", first: "ascending", by: (one) => `${one.type} ${one.at}` },
  { name: "Free", class: "number", by: (one) => one.left }, { name: "Held by", by: (one) => holders(one).join(" ") }];

export function details(app, id, list) {
  const node = list.find((one) => one.nodeID === id);
  if (!node) return [empty("This node has no devices now.")];
  const all = node.devices.flatMap((of) => single(of).map((one) => ({ ...one, type: of.type })));
  return [h("p", {}, "Node ", opener("node", id)),
    table(app, "node-devices", "Devices of the node", COLUMNS, ordered(app, "node-devices", COLUMNS, all).map((one) => ({
      key: `${one.type} ${one.at}`, cells: [`${one.type} ${one.at}`, `${amount(one.type, one.left)} of ${amount(one.type, one.each)}`,
        one.by.length === 0 ? "nobody" : h("ul", { class: "log" }, one.by.map((share) => h("li", {}, opener("application", share.applicationID), " ",
          h("span", { class: "dim" }, name(share.allocationKey), `: ${amounts({ [one.type]: share.has })}`))))] })))];
}

export const actions = () => [];
export const handlers = {
  "more-devices"(app) {
    app.ui.devices.more = (app.ui.devices.more ?? AT_ONCE) + AT_ONCE;
  },
};
export const inputs = {
  "device-type"(app, element) {
    app.ui.devices.type = element.value;
  },
};
