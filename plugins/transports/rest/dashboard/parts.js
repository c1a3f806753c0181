// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Pieces that several views are made of: meters, chips, pagers, messages.
import { h } from "./dom.js";
import { amount, count, label, of, readable, share } from "./units.js";

export function chip(text, kind = "plain") {
  return h("span", { class: `chip ${kind}` }, text);
}

const KINDS = {
  Active: "good", Running: "good", Accepted: "plain", Completing: "plain", Completed: "plain", New: "plain",
  Resuming: "warn", Draining: "warn", Failing: "bad", Failed: "bad", Rejected: "bad", Stopped: "bad", Expired: "bad",
};
// A check of health that does not succeed and is no reason to say that the scheduler does not do its work.
export const warns = (check) => !check.Succeeded && (check.DiagnosisMessage ?? "").startsWith("warning: ");
// What a check of health found, in words; whether it fails or warns is shown beside them.
export const diagnosis = (check) => readable(check.DiagnosisMessage).replace(/^warning: /, "");
export const state = (text) => chip(text || "—", KINDS[text] ?? "plain");

// What is used of an amount, drawn and in words; the mark is what is guaranteed. Where there is no max, the bar is of
// `scale`; where there is neither, it is empty.
export function meter(type, { used = 0, max, guaranteed, scale }) {
  const whole = max ?? scale ?? 0;
  const part = share(used, whole) ?? 0;
  const mark = guaranteed === undefined ? null : share(guaranteed, whole);
  const level = max === undefined || part < 90 ? "some" : part > 100 ? "full" : "high";
  const words = [max === undefined ? amount(type, used) : of(type, used, max)];
  if (max === undefined) words.push("no limit");
  if (guaranteed !== undefined) words.push(`guaranteed ${amount(type, guaranteed)}`);
  return h("div", { class: "meter" },
    h("span", { class: "meter-name" }, label(type)),
    h("svg", { viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true", class: level },
      h("rect", { class: "track", width: 100, height: 6 }),
      h("rect", { class: "fill", width: Math.min(part, 100).toFixed(2), height: 6 }),
      mark === null ? null
        : h("rect", { class: "mark", x: Math.min(Math.max(mark - 0.5, 0), 99).toFixed(2), width: 1, height: 6 })),
    h("span", { class: "meter-words" }, words.map((one, at) => [at > 0 ? " · " : null, h("span", { class: "whole" }, one)])));
}

export const PAGE = 25;

// The part of a list that a page shows, and where it stands.
export function paged(list, page) {
  const pages = Math.max(1, Math.ceil(list.length / PAGE));
  const at = Math.min(Math.max(page ?? 0, 0), pages - 1);
  return { rows: list.slice(at * PAGE, (at + 1) * PAGE), at, pages, total: list.length };
}

export function pager(view, { at, pages, total }, what) {
  if (pages <= 1) return h("p", { class: "pager" }, h("span", { role: "status" }, `${count(total)} ${total === 1 ? what.replace(/s$/, "") : what}`));
  const from = at * PAGE + 1;
  const step = (page, text, name) =>
    h("button", { type: "button", "data-do": "page", "data-view": view, "data-page": page, "aria-label": name,
      "aria-disabled": page < 0 || page >= pages ? "true" : null }, text);
  return h("p", { class: "pager" },
    step(at - 1, "‹ Back", "Page before"),
    h("span", { role: "status" }, `${count(from)}–${count(Math.min(from + PAGE - 1, total))} of ${count(total)} ${what}`),
    step(at + 1, "Next ›", "Next page"));
}

export function search(view, text, what) {
  return h("label", { class: "field" }, h("span", {}, `Search ${what}`),
    h("input", { type: "search", id: `${view}-search`, "data-input": "search", "data-view": view, value: text ?? "",
      autocomplete: "off", spellcheck: "false" }));
}

export function choice(id, name, options, chosen, attributes = {}) {
  return h("label", { class: "field" }, h("span", {}, name),
    h("select", { id, "data-input": id, ...attributes },
      options.map(([value, text]) => h("option", { value, selected: value === chosen }, text))));
}

export const empty = (...text) => h("p", { class: "empty" }, ...text);

export function failed(what, problem) {
  return h("div", { class: "notice bad", role: "alert" },
    h("p", {}, h("strong", {}, `${what} could not be read. `), problem.message),
    h("button", { type: "button", "data-do": "retry" }, "Try again"));
}

const collator = new Intl.Collator("en", { numeric: true });

function compare(a, b) {
  const none = [a, b].map((one) => one === null || one === undefined || one === "");
  if (none[0] || none[1]) return none[0] && none[1] ? 0 : null;
  return typeof a === "number" ? a - b : collator.compare(a, b);
}

// How a table is sorted: as somebody wished, or as its column with `first` says.
function order(app, id, columns) {
  const at = columns.findIndex((column) => column.first);
  return app.sorts[id] ?? { column: at, down: columns[at]?.first === "descending" };
}

// Its items in that order. `by` of a column gives a number or a text of an item; what has none comes last.
export function ordered(app, id, columns, items) {
  const { column, down } = order(app, id, columns);
  const by = columns[column]?.by;
  if (!by) return items;
  return items.map((item) => [by(item), item]).sort(([a], [b]) => {
    const way = compare(a, b);
    if (way === null) return a === null || a === undefined || a === "" ? 1 : -1;
    return down ? -way : way;
  }).map(([, item]) => item);
}

function columnHead(app, id, columns, column, at) {
  if (!column.by) return h("th", { scope: "col", class: column.class }, column.name);
  const now = order(app, id, columns);
  const state = now.column !== at ? "none" : now.down ? "descending" : "ascending";
  return h("th", { scope: "col", class: column.class, "aria-sort": state },
    h("button", { type: "button", class: "sort", "data-do": "sort", "data-table": id, "data-column": at, "data-state": state,
      "data-start": column.class === "number" || column.class === "wide" ? "descending" : "ascending" }, column.name,
    h("span", { class: "arrow", "aria-hidden": "true" }, { none: "", ascending: " ▲", descending: " ▼" }[state])));
}

// A table whose rows become cards where the window is narrow. Columns that have `by` sort.
export function table(app, id, caption, columns, rows) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `${caption}, table`, "data-key": `table ${id}` },
    h("table", {},
      h("caption", { class: "hidden" }, caption),
      h("thead", {}, h("tr", {}, columns.map((column, at) => columnHead(app, id, columns, column, at)))),
      h("tbody", {}, rows.map(({ key, cells }) =>
        h("tr", { "data-key": key }, cells.map((cell, at) =>
          h(at === 0 ? "th" : "td", { scope: at === 0 ? "row" : null, class: columns[at].class,
            "data-name": columns[at].name, "data-none": cell === "—" }, cell)))))));
}

export const handlers = {
  sort(app, { table: id, column, state, start }) {
    app.sorts[id] = { column: Number(column), down: state === "none" ? start === "descending" : state === "ascending" };
    const at = app.ui[id] ?? app.detail;
    if (at) at.page = 0;
  },
};

export function facts(pairs) {
  return h("dl", { class: "facts" }, pairs.filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

// A name that breaks after its separators and nowhere else, as long as it fits into a line so.
export function name(text) {
  return String(text).split(/(?<=[._\-/:@])/).flatMap((part, at) => (at === 0 ? [part] : [h("wbr"), part]));
}

// What people call an ask or allocation: a pod by its namespace and name, where the resource manager sent them as tags of
// the field; else its key. The key of a pod says nothing to people, so it is in the title.
export function called(one) {
  const tags = one.allocationTags ?? {};
  const pod = tags["kubernetes.io/meta/podName"], namespace = tags["kubernetes.io/meta/namespace"];
  return pod ? (namespace ? `${namespace}/${pod}` : pod) : one.allocationKey;
}
export const object = (one) => called(one) === one.allocationKey ? name(one.allocationKey)
  : h("span", { title: one.allocationKey }, name(called(one)));

export function opener(kind, id, text = id) {
  if (!id || id === "—") return "—";
  return h("button", { type: "button", class: "link", "data-do": "open", "data-kind": kind, "data-id": id }, name(text));
}
