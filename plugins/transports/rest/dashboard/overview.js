// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The first view: what is wrong, then how the partition went lately and what it has.
import { h } from "./dom.js";
import { meter } from "./parts.js";
import { list, problems } from "./problems.js";
import { get, paths } from "./rest.js";
import { read, readQueue, timeline } from "./timeline.js";
import { count, types } from "./units.js";

export const title = "Overview";
export const event_types = [2, 4];

export async function load(app) {
  const [health, queues, managers, modules, history, waiting] = await Promise.all([get("/ws/v1/scheduler/healthcheck"),
    get(`${paths.partition(app.partition)}/queues`), get("/tenon/v1/rms"), get("/tenon/v1/modules"), read(app),
    readQueue(app, "root")]);
  app.health = health;
  return { health, queues, managers, modules, history, waiting };
}

function summary(app, partition) {
  const all = partition.applications ?? {};
  const shown = Object.entries(all).filter(([state, number]) => state !== "total" && number > 0)
    .map(([state, number]) => `${count(number)} ${state.toLowerCase()}`);
  const { capacity = {}, usedCapacity = {} } = partition.capacity ?? {};
  return h("section", { class: "summary", "data-key": "summary", "aria-labelledby": "summary-title" },
    h("h2", { id: "summary-title" }, "Partition"),
    h("p", {}, h("strong", {}, count(partition.totalNodes)), " nodes · ",
      h("strong", {}, count(partition.totalContainers)), " allocations · ",
      h("strong", {}, count(all.total)), " applications",
      shown.length > 0 ? h("span", { class: "dim" }, ` (${shown.join(", ")})`) : null),
    h("div", { class: "meters" }, types(capacity).map((type) => meter(type, { used: usedCapacity[type], max: capacity[type] }))));
}

export function render(app, value) {
  const partition = app.partitions.find((one) => one.key === app.partition);
  return [list(app, problems({ partition, ...value }), value.queues?.pendingResource), timeline(app, value.history, value.waiting), summary(app, partition)];
}
