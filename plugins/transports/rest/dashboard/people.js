// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Users and groups: what they use in each queue and what they may have at most, and the limits of the configuration.
import { h } from "./dom.js";
import { empty, facts, meter, opener, ordered, paged, pager, search, table } from "./parts.js";
import { get, getAll, paths } from "./rest.js";
import { amounts, count, dominant, plural, types } from "./units.js";

export const title = "Users";
export const event_types = [5];

const limitsIn = (path, { Limits = [], Queues = [] }) => [
  ...(Limits ?? []).map((one) => ({ queue: path, who: one.Limit, users: one.Users ?? [], groups: one.Groups ?? [],
    resources: one.MaxResources ?? {}, applications: one.MaxApplications ?? 0 })),
  ...(Queues ?? []).flatMap((child) => limitsIn(path ? `${path}.${child.Name}` : child.Name, child)),
];

// As the configuration in force has them: for people who use nothing now, too.
async function configured(app) {
  const here = app.partitions.find((one) => one.key === app.partition);
  const known = (await get("/tenon/v1/rms")).some((one) => one.rm === here.clusterId);
  const of = known ? `?${new URLSearchParams({ rm: here.clusterId })}` : "";
  const { Partitions = [] } = await get(`/ws/v1/config${of}`, { Accept: "application/json" });
  const found = Partitions.find((one) => one.Name === here.name);
  return found ? [...limitsIn("root", { Limits: found.Limits }), ...limitsIn("", { Queues: found.Queues })] : [];
}

export async function load(app) {
  const path = `${paths.partition(app.partition)}/usage`;
  const [users, groups, limits] = await Promise.all([getAll(`${path}/users`, ["userName", "groups", "queues"]),
    getAll(`${path}/groups`, ["groupName", "applications", "queues"]), configured(app)]);
  return { users, groups, limits };
}

// A line for each queue in which somebody uses something or is limited.
function lines(who, usage) {
  const own = { who, queue: usage.queuePath, running: usage.runningApplications ?? [], most: usage.maxApplications ?? 0,
    used: usage.resourceUsage ?? {}, max: usage.maxResources };
  return [own, ...(usage.children ?? []).flatMap((child) => lines(who, child))];
}

const COLUMNS = (app, what) => [{ name: what, first: "ascending", by: (one) => `${one.who} ${one.queue}` },
  { name: "Queue", by: (one) => one.queue }, { name: "Applications", class: "number", by: (one) => one.running.length },
  { name: "Uses", class: "wide", by: (one) => dominant(one.used, one.max ?? app.capacity()) }];

const uses = (app, one) => {
  const shown = types(one.used, one.max).slice(0, 4);
  if (shown.length === 0) return "nothing";
  return h("div", { class: "meters" }, shown.map((type) => meter(type, { used: one.used[type], max: one.max?.[type], scale: app.capacity()[type] ?? 0 })));
};
const applications = (one) => `${count(one.running.length)}${one.most ? ` of ${count(one.most)}` : ""}`;

function part(app, kind, what, all) {
  const id = `people-${kind}`, text = (app.ui.people.search ?? "").toLowerCase();
  const shown = COLUMNS(app, what);
  const kept = ordered(app, id, shown, all.filter((one) => text === "" || one.who.toLowerCase().includes(text) ||
    one.queue.toLowerCase().includes(text)));
  const rows = paged(kept, app.ui[id]?.page);
  return h("section", { "aria-labelledby": `${id}-title`, "data-key": id },
    h("h2", { id: `${id}-title` }, `${what}s`),
    kept.length === 0 ? empty(all.length === 0 ? `No ${kind} has anything.` : `No ${kind} is like that.`)
      : [table(app, id, `${what}s`, shown, rows.rows.map((one) => ({ key: `${one.who} ${one.queue}`, cells: [
        opener(kind, one.who), opener("queue", one.queue), applications(one), uses(app, one)] }))), pager(id, rows, "lines")]);
}

const written = (map) => Object.entries(map).map(([type, amount]) => `${type} ${amount}`).join(", ");

function limits(app, all) {
  const shown = [{ name: "Queue", first: "ascending", by: (one) => one.queue }, { name: "Limit", by: (one) => one.who },
    { name: "Users", by: (one) => one.users.join(" ") }, { name: "Groups", by: (one) => one.groups.join(" ") },
    { name: "Applications at most", class: "number", by: (one) => one.applications || null },
    { name: "Resources at most", by: (one) => written(one.resources) }];
  return h("section", { "aria-labelledby": "limits-title", "data-key": "limits" },
    h("h2", { id: "limits-title" }, "Limits of the configuration"),
    all.length === 0 ? empty("The configuration limits nobody.")
      : table(app, "people-limits", "Limits of the configuration", shown,
        ordered(app, "people-limits", shown, all).map((one, at) => ({ key: `${one.queue} ${at}`, cells: [
          opener("queue", one.queue), one.who || "—", one.users.join(", ") || "—", one.groups.join(", ") || "—",
          one.applications ? count(one.applications) : "—", written(one.resources) || "—"] }))));
}

const linesOf = (value, kind) => (kind === "user" ? value.users.flatMap((one) => lines(one.userName, one.queues))
  : value.groups.flatMap((one) => lines(one.groupName, one.queues)));

export function render(app, value) {
  return [h("div", { class: "tools" }, search("people", app.ui.people.search, "users, groups, queues")),
    part(app, "user", "User", linesOf(value, "user")), part(app, "group", "Group", linesOf(value, "group")),
    limits(app, value.limits)];
}

export const loadDetails = load;

export function details(app, id, value) {
  const own = linesOf(value, app.detail.kind).filter((one) => one.who === id);
  const running = [...new Set(own.flatMap((one) => one.running))];
  const groups = [...new Set(Object.values(value.users.find((one) => one.userName === id)?.groups ?? {}))];
  if (own.length === 0) return [empty("Uses nothing now.")];
  return [
    facts([["Limited as of groups", app.detail.kind === "user" ? groups.join(", ") : null],
      ["Uses in all", amounts(own.find((one) => one.queue === "root")?.used)]]),
    h("h3", {}, plural(running.length, "application")),
    running.length === 0 ? null : h("ul", { class: "log" }, running.slice(0, 200).map((one) => h("li", {}, opener("application", one)))),
    h("h3", {}, "By queue"),
    own.map((one) => h("section", { "data-key": one.queue }, h("p", {}, opener("queue", one.queue), " ",
      h("span", { class: "dim" }, applications(one))), uses(app, one))),
  ];
}

export const actions = () => [];
