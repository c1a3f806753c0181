// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Preemptions: what gives way now, and what gave way last.
import { h } from "./dom.js";
import { empty, name, opener, ordered, paged, pager, table } from "./parts.js";
import { flat } from "./queues.js";
import { get, paths } from "./rest.js";
import { amounts, dominant, readable, when } from "./units.js";

export const title = "Preemptions";
export const event_types = [2, 4];

export async function load(app) {
  const [latest, queues] = await Promise.all([get(`${paths.ours(app.partition)}/preemptions`),
    get(`${paths.partition(app.partition)}/queues`)]);
  return { latest, queues };
}

const NOW = (app) => [{ name: "Queue", first: "ascending", by: (one) => one.queuename },
  { name: "Gives up", class: "amounts", by: (one) => dominant(one.preemptingResource, app.capacity()) }];
const LATEST = [{ name: "When", first: "descending", by: (one) => one.time }, { name: "Queue", by: (one) => one.queueName },
  { name: "Application", by: (one) => one.applicationID }, { name: "Allocation", by: (one) => one.allocationKey },
  { name: "Node", by: (one) => one.nodeID }, { name: "Why", class: "long", by: (one) => one.message }];

export function render(app, { latest, queues }) {
  const now = flat(queues).filter((one) => one.isLeaf && Object.keys(one.preemptingResource ?? {}).length > 0);
  const shown = NOW(app), part = paged(ordered(app, "preemptions", LATEST, latest), app.ui.preemptions.page);
  return [
    h("section", { "aria-labelledby": "now-title", "data-key": "now" }, h("h2", { id: "now-title" }, "Being preempted"),
      now.length === 0 ? empty("Nothing has to give way now.")
        : table(app, "preempting", "Being preempted", shown, ordered(app, "preempting", shown, now).map((one) => ({ key: one.queuename,
          cells: [opener("queue", one.queuename), amounts(one.preemptingResource)] })))),
    h("section", { "aria-labelledby": "latest-title", "data-key": "latest" }, h("h2", { id: "latest-title" }, "Latest"),
      latest.length === 0 ? empty("Nothing had to give way since the scheduler started.")
        : [table(app, "preemptions", "Latest preemptions", LATEST, part.rows.map((one) => ({ key: String(one.number),
          cells: [when(one.time), opener("queue", one.queueName), opener("application", one.applicationID), name(one.allocationKey),
            opener("node", one.nodeID), readable(one.message) || "—"] }))), pager("preemptions", part, "preemptions"),
        h("p", { class: "dim" }, "The server keeps the latest 500.")]),
  ];
}
