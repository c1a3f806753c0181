// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Nodes: how much of a resource each one uses, as a heat map, as counts and as a table.
import { h } from "./dom.js";
import { draw } from "./heatmap.js";
import { called, choice, chip, empty, facts, meter, name as words, object, opener, ordered, paged, pager, search, table } from "./parts.js";
import { get, getAll, paths } from "./rest.js";
import { amounts, count, dominant, label, percent, plural, share, types, when } from "./units.js";

export const title = "Nodes";
export const event_types = [3];

const FIELDS = ["nodeID", "hostName", "rackName", "capacity", "allocated", "occupied", "schedulable", "isReserved"];
const BUSIEST = "most used resource";

export const load = (app) => getAll(`${paths.partition(app.partition)}/nodes`, FIELDS);

// The share of a node that is in use, others' use counted; null where it has none of the resource.
function used(node, type) {
  if (type !== BUSIEST) return share((node.allocated?.[type] ?? 0) + (node.occupied?.[type] ?? 0), node.capacity?.[type]);
  const all = { ...node.allocated };
  for (const [name, value] of Object.entries(node.occupied ?? {})) all[name] = (all[name] ?? 0) + value;
  return dominant(all, node.capacity);
}

export const bucket = (value) => (value === null ? -1 : Math.min(9, Math.max(0, Math.ceil(value / 10) - 1)));

function prepared(app, list) {
  const ui = app.ui.nodes;
  const text = (ui.search ?? "").toLowerCase();
  const shares = list.map((node) => ({ node, value: used(node, ui.type) }));
  const matching = shares.filter(({ node }) => text === "" || node.nodeID.toLowerCase().includes(text) ||
    (node.hostName ?? "").toLowerCase().includes(text) || (node.rackName ?? "").toLowerCase().includes(text));
  const kept = matching.filter(({ node, value }) =>
    (ui.bucket === undefined || bucket(value) === ui.bucket) && (!ui.closed || !node.schedulable));
  return { matching, kept };  // by name, as the server lists them: in the map a node has its place
}

const COLUMNS = [{ name: "Node", by: ({ node }) => node.nodeID },
  { name: "State", by: ({ node }) => `${node.schedulable ? 1 : 0} ${node.isReserved ? 1 : 0}` },
  { name: "Use", class: "wide", first: "descending", by: ({ value }) => value }];

// How many nodes use how much; each line filters the table.
function counts(app, matching) {
  const ui = app.ui.nodes;
  const all = Array(10).fill(0);
  for (const { value } of matching) if (value !== null) all[bucket(value)] += 1;
  const most = Math.max(1, ...all);
  return h("div", { class: "buckets", role: "group", "aria-label": `Nodes by share of ${name(ui.type)} in use` },
    all.map((number, at) => h("button", { type: "button", class: "bucket", "data-do": "bucket", "data-id": at,
      "aria-pressed": String(ui.bucket === at) },
    h("span", { class: `swatch heat-${at}` }),
    h("span", {}, `${at * 10}–${at * 10 + 10} %`),
    h("svg", { viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true", class: "some" },
      h("rect", { class: "fill", width: ((number / most) * 100).toFixed(2), height: 6 })),
    h("span", { class: "number" }, plural(number, "node")))));
}

const name = (type) => (type === BUSIEST ? type : label(type));

function states(node) {
  return [node.schedulable ? chip("schedulable", "good") : chip("not schedulable", "warn"),
    node.isReserved ? [" ", chip("reserved")] : null];
}

export function render(app, list) {
  const ui = app.ui.nodes;
  if (list.length === 0) return [empty("No node is registered in this partition.")];
  const known = types(...list.slice(0, 500).map((node) => node.capacity));
  const { matching, kept } = prepared(app, list);
  app.heat = { cells: kept, name: name(ui.type) };
  const part = paged(ordered(app, "nodes", COLUMNS, kept), ui.page);
  const shown = ui.type === BUSIEST ? known.slice(0, 3) : [ui.type];
  const closed = list.filter((node) => !node.schedulable).length;
  return [
    h("div", { class: "tools" },
      search("nodes", ui.search, "nodes"),
      choice("node-type", "Resource", [[BUSIEST, "Most used resource"], ...known.map((type) => [type, label(type)])], ui.type),
      h("label", { class: "check" }, h("input", { type: "checkbox", id: "node-closed", "data-input": "node-closed",
        checked: ui.closed }), `Only not schedulable (${count(closed)})`)),
    h("section", { class: "heat", "aria-labelledby": "heat-title" },
      h("h2", { id: "heat-title" }, `Share of ${name(ui.type)} in use`),
      counts(app, matching),
      h("canvas", { id: "heat", "data-keep": "", tabindex: "0", role: "application",
        "aria-roledescription": "heat map", "aria-describedby": "heat-help" }),
      h("p", { class: "dim", id: "heat-help" }, "A square is a node. Arrow keys go from node to node, Enter opens one; ",
        "a line through a square: not schedulable. The table below has the same nodes."),
      h("p", { id: "heat-tip", role: "status", class: "tip", "data-keep": "" })),
    kept.length === 0 ? empty("No node is like that.")
      : [table(app, "nodes", "Nodes", COLUMNS,
        part.rows.map(({ node }) => ({ key: node.nodeID, cells: [
          [opener("node", node.nodeID), node.rackName ? h("span", { class: "dim" }, ` ${node.rackName}`) : null],
          states(node),
          h("div", { class: "meters" }, shown.filter((type) => node.capacity?.[type]).map((type) => meter(type, {
            used: (node.allocated?.[type] ?? 0) + (node.occupied?.[type] ?? 0), max: node.capacity[type] })))] }))),
      pager("nodes", part, "nodes")],
  ];
}

// After the page has its new state.
export function drawn(app) {
  draw(app, (cell) => `${cell.node.nodeID}: ${percent(cell.value)} of ${app.heat.name}${cell.node.schedulable ? "" : ", not schedulable"}`);
}

export const loadDetails = (app, id) => get(paths.partition(app.partition) + paths.node(id));

export function details(app, id, node) {
  const shown = [{ name: "Allocation", by: called }, { name: "Application", by: (one) => one.applicationId },
    { name: "Resources", class: "amounts", by: (one) => dominant(one.resource, node.capacity) },
    { name: "Since", by: (one) => one.allocationTime }];
  const own = ordered(app, "allocations", shown, node.allocations ?? []), foreign = node.foreignAllocations ?? [];
  const part = paged(own, app.detail.page);
  return [
    h("p", {}, states(node)),
    facts([["Host", node.hostName], ["Rack", node.rackName]]),
    h("h3", {}, "Resources"),
    h("div", { class: "meters" }, types(node.capacity).map((type) =>
      meter(type, { used: node.allocated?.[type], max: node.capacity[type] }))),
    Object.keys(node.occupied ?? {}).length === 0 ? null : facts([["Used by others", amounts(node.occupied)]]),
    h("h3", {}, plural(own.length, "allocation")),
    own.length === 0 ? empty("Nothing runs here.")
      : [table(app, "allocations", "Allocations", shown,
        part.rows.map((one) => ({ key: one.allocationKey, cells: [object(one),
          opener("application", one.applicationId), amounts(one.resource),
          one.allocationTime ? when(one.allocationTime) : "—"] }))), pager("detail", part, "allocations")],
    foreign.length === 0 ? null : [h("h3", {}, plural(foreign.length, "allocation of others", "allocations of others")),
      h("ul", { class: "log" }, foreign.slice(0, 50).map((one) => h("li", {}, object(one), `: ${amounts(one.resource)}`)))],
    node.reservations?.length > 0 ? [h("h3", {}, "Reserved for"), h("ul", { class: "log" }, node.reservations.map((key) => h("li", {}, words(key))))] : null,
    Object.keys(node.attributes ?? {}).length === 0 ? null : [h("h3", {}, "Attributes"), facts(Object.entries(node.attributes))],
  ];
}

export const actions = (app, id, node) => {
  if (!node) return [];
  const path = paths.ours(app.partition) + paths.node(id);
  return node.schedulable
    ? [{ id: "drain", name: "Drain node", does: "Nothing new runs on it; what runs goes on.", path: `${path}/drain` }]
    : [{ id: "undrain", name: "Undo drain", does: "It takes allocations again.", path: `${path}/undrain` }];
};

export const handlers = {
  bucket(app, { id }) {
    const ui = app.ui.nodes;
    Object.assign(ui, { bucket: ui.bucket === Number(id) ? undefined : Number(id), page: 0 });
  },
};
export const inputs = {
  "node-type"(app, element) {
    Object.assign(app.ui.nodes, { type: element.value, bucket: undefined, page: 0 });
  },
  "node-closed"(app, element) {
    Object.assign(app.ui.nodes, { closed: element.checked, page: 0 });
  },
};
export { BUSIEST };
