// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Pieces that several views are made of: meters, chips, pagers, messages.
import { h } from "./dom.js";
import { amount, count, label, of, share } from "./units.js";

export function chip(text, kind = "plain") {
  return h("span", { class: `chip ${kind}` }, text);
}

const KINDS = {
  Active: "good", Running: "good", Accepted: "plain", Completing: "plain", Completed: "plain", New: "plain",
  Resuming: "warn", Draining: "warn", Failing: "bad", Failed: "bad", Rejected: "bad", Stopped: "bad", Expired: "bad",
};
// A check of health that does not succeed and is no reason to say that the scheduler does not do its work.
export const warns = (check) => !check.Succeeded && (check.DiagnosisMessage ?? "").startsWith("warning: ");
export const state = (text) => chip(text || "—", KINDS[text] ?? "plain");

// What is used of an amount, drawn and in words; the mark is what is guaranteed.
export function meter(type, { used = 0, max, guaranteed, scale }) {
  const whole = max ?? scale ?? Math.max(used, guaranteed ?? 0);
  const part = share(used, whole) ?? 0;
  const mark = guaranteed === undefined ? null : share(guaranteed, whole);
  const level = max === undefined || part < 90 ? "some" : part > 100 ? "full" : "high";
  const words = [max === undefined ? amount(type, used) : of(type, used, max)];
  if (guaranteed !== undefined) words.push(`guaranteed ${amount(type, guaranteed)}`);
  return h("div", { class: "meter" },
    h("span", { class: "meter-name" }, label(type)),
    h("svg", { viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true", class: level },
      h("rect", { class: "track", width: 100, height: 6 }),
      h("rect", { class: "fill", width: Math.min(part, 100).toFixed(2), height: 6 }),
      mark === null ? null
        : h("rect", { class: "mark", x: Math.min(Math.max(mark - 0.5, 0), 99).toFixed(2), width: 1, height: 6 })),
    h("span", { class: "meter-words" }, words.join(" · ")));
}

export const PAGE = 25;

// The part of a list that a page shows, and where it stands.
export function paged(list, page) {
  const pages = Math.max(1, Math.ceil(list.length / PAGE));
  const at = Math.min(Math.max(page ?? 0, 0), pages - 1);
  return { rows: list.slice(at * PAGE, (at + 1) * PAGE), at, pages, total: list.length };
}

export function pager(view, { at, pages, total }, what) {
  if (pages <= 1) return h("p", { class: "pager" }, h("span", { role: "status" }, `${count(total)} ${what}`));
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

// A table whose rows become cards where the window is narrow.
export function table(caption, columns, rows) {
  return h("table", {},
    h("caption", { class: "hidden" }, caption),
    h("thead", {}, h("tr", {}, columns.map((column) =>
      h("th", { scope: "col", class: column.class }, column.name)))),
    h("tbody", {}, rows.map(({ key, cells }) =>
      h("tr", { "data-key": key }, cells.map((cell, at) =>
        h(at === 0 ? "th" : "td", { scope: at === 0 ? "row" : null, class: columns[at].class,
          "data-name": columns[at].name, "data-none": cell === "—" }, cell))))));
}

export function facts(pairs) {
  return h("dl", { class: "facts" }, pairs.filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

export function opener(kind, id, text = id) {
  return h("button", { type: "button", class: "link", "data-do": "open", "data-kind": kind, "data-id": id }, text);
}
