// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Reservations: nodes that are kept for asks.
import { h } from "./dom.js";
import { empty, name, opener, ordered, paged, pager, search, table } from "./parts.js";
import { get, paths } from "./rest.js";
import { amounts, dominant, since } from "./units.js";

export const title = "Reservations";
export const event_types = [3];

export const load = (app) => get(`${paths.ours(app.partition)}/reservations`);

const COLUMNS = (app) => [{ name: "Node", first: "ascending", by: (one) => one.nodeID },
  { name: "Application", by: (one) => one.applicationID }, { name: "Queue", by: (one) => one.queueName },
  { name: "Ask", by: (one) => one.allocationKey },
  { name: "Wants", class: "amounts", by: (one) => dominant(one.resource, app.capacity()) },
  { name: "Free on the node", class: "amounts", by: (one) => dominant(one.available, app.capacity()) },
  { name: "Waits", class: "number", by: (one) => (one.requestTime ? -one.requestTime : null) }];

export function render(app, list) {
  const ui = app.ui.reservations, text = (ui.search ?? "").toLowerCase(), shown = COLUMNS(app);
  const kept = ordered(app, "reservations", shown, list.filter((one) => text === "" ||
    [one.nodeID, one.applicationID, one.queueName].some((part) => (part ?? "").toLowerCase().includes(text))));
  const part = paged(kept, ui.page);
  return [
    h("div", { class: "tools" }, search("reservations", ui.search, "reservations")),
    kept.length === 0 ? empty(list.length === 0 ? "No node is kept for an ask." : "No reservation is like that.")
      : [table(app, "reservations", "Reservations", shown, part.rows.map((one) => ({ key: `${one.nodeID} ${one.allocationKey}`,
        cells: [opener("node", one.nodeID), opener("application", one.applicationID), opener("queue", one.queueName),
          name(one.allocationKey), one.resource ? amounts(one.resource) : "—", amounts(one.available),
          one.requestTime ? since(one.requestTime) : "—"] }))), pager("reservations", part, "reservations")],
  ];
}
