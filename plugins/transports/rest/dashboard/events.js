// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What happens, as it happens.
import { h } from "./dom.js";
import { TYPES, what } from "./event_words.js";
import { choice, chip, empty, name, opener, ordered, paged, pager, search, table } from "./parts.js";
import { amounts, clock, plural, readable } from "./units.js";

export const title = "Events";
export const event_types = [];
export const live = true;

const KEPT = 2000;
const REASONS = 5000;  // applications whose latest reason is remembered

// What the page knows of events: the newest first.
export class Kept {
  list = [];
  state = "connecting";
  why = "";
  reasons = new Map();
  #next = 0;

  start() {
    this.list = [];
  }
  add(records) {
    for (const record of records) {
      record.number = this.#next++;
      if (record.type !== 1 || !record.referenceID || !record.message) continue;
      this.reasons.delete(record.referenceID);
      this.reasons.set(record.referenceID, record.message);
    }
    for (const old of this.reasons.keys()) {
      if (this.reasons.size <= REASONS) break;
      this.reasons.delete(old);
    }
    this.list = [...records.slice(-KEPT).reverse(), ...this.list].slice(0, KEPT);
  }
}

const STATES = {
  connecting: ["Connecting to the stream…", "plain"],
  live: ["Live", "good"],
  waiting: ["The stream ended; it is opened again soon", "warn"],
  off: ["This server keeps no events", "warn"],
};

const resource = (record) =>
  Object.fromEntries(Object.entries(record.resource?.resources ?? {}).map(([type, one]) => [type, one.value ?? 0]));

function matches(record, ui, text) {
  if (ui.type !== "all" && (record.type ?? 0) !== Number(ui.type)) return false;
  return text === "" || [record.objectID, record.referenceID, record.message, what(record)]
    .some((one) => (one ?? "").toLowerCase().includes(text));
}

// What the two names of a record are of, by its type; an ask is shown with its application.
const OBJECTS = { 2: "application", 3: "node", 4: "queue", 5: "user" };
const REFERENCES = { 1: "application", 4: "application" };
const OF_GROUPS = [601, 604];
const linked = (kinds, record, id) => (kinds[record.type] && !OF_GROUPS.includes(record.eventChangeDetail)
  ? opener(kinds[record.type], id) : name(id));

const COLUMNS = [{ name: "Time", first: "descending", by: (record) => record.number },
  { name: "About", by: (record) => TYPES[record.type ?? 0] }, { name: "What", by: what },
  { name: "Object", by: (record) => record.objectID }, { name: "Message", class: "long", by: (record) => record.message }];

export function render(app) {
  const ui = app.ui.events, all = ui.frozen ?? app.events.list;
  const text = (ui.search ?? "").toLowerCase();
  const kept = ordered(app, "events", COLUMNS, all.filter((record) => matches(record, ui, text)));
  const part = paged(kept, ui.page);
  const [words, kind] = STATES[app.events.state];
  return [
    h("div", { class: "tools" },
      search("events", ui.search, "events"),
      choice("event-type", "About", [["all", "Everything"], ...TYPES.map((name, type) => [String(type), name])], ui.type),
      h("button", { type: "button", "data-do": "freeze", "aria-pressed": String(Boolean(ui.frozen)) },
        ui.frozen ? "Go on" : "Pause"),
      h("p", {}, chip(ui.frozen ? "Paused" : words, ui.frozen ? "warn" : kind),
        app.events.why && app.events.state !== "live" ? h("span", { class: "dim" }, ` ${app.events.why}`) : null)),
    kept.length === 0
      ? empty(all.length === 0 ? "Nothing has happened since this page was opened." : "No event is like that.")
      : [table(app, "events", "Events", COLUMNS, part.rows.map((record) => ({ key: String(record.number), cells: [
        record.timestampNano ? clock(record.timestampNano) : "—",
        TYPES[record.type ?? 0] ?? `Type ${record.type}`,
        what(record),
        [record.objectID ? linked(OBJECTS, record, record.objectID) : "—",
          record.referenceID ? h("span", { class: "dim" }, " ", linked(REFERENCES, record, record.referenceID)) : null],
        [readable(record.message), record.resource ? h("span", { class: "dim" }, ` ${amounts(resource(record))}`) : null],
      ] }))), pager("events", part, "events")],
    all.length >= KEPT ? h("p", { class: "dim" }, `Only the latest ${plural(KEPT, "event")} are kept on this page.`) : null,
  ];
}

export const handlers = {
  freeze(app) {
    app.ui.events.frozen = app.ui.events.frozen ? undefined : app.events.list;
  },
};
export const inputs = {
  "event-type"(app, element) {
    Object.assign(app.ui.events, { type: element.value, page: 0 });
  },
};
