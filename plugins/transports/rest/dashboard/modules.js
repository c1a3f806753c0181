// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Modules: how they do and how long they take; and whether the scheduler is well.
import { h } from "./dom.js";
import { chip, diagnosis, empty, name, ordered, table, warns } from "./parts.js";
import { get } from "./rest.js";
import { count, duration, readable } from "./units.js";

export const title = "Modules";
export const event_types = [];

export async function load() {
  const [modules, health, shadows] = await Promise.all([get("/tenon/v1/modules"), get("/ws/v1/scheduler/healthcheck"),
    get("/tenon/v1/call-shadows")]);
  // A deployment with a shadow has a check of it; to ask for one that is not there is an error that browsers show.
  const has = (health.HealthChecks ?? []).some((one) => one.Name === "Shadow");
  return { modules, health, shadows, world: has ? await get("/tenon/v1/shadow") : null };
}

const GOOD = ["running", "active", "started", "ok", "loaded"];
const kind = (state) => (GOOD.includes(state.toLowerCase()) ? "good" : "warn");
const time = (nanoseconds) => (nanoseconds > 0 ? duration(nanoseconds / 1e6) : "—");

function checks(health) {
  const all = health.HealthChecks ?? [];
  const bad = all.filter((one) => !one.Succeeded);
  const failing = bad.filter((one) => !warns(one)).length;
  return h("section", { "aria-labelledby": "health-title" },
    h("h2", { id: "health-title" }, "Health ", chip(bad.length === 0 ? "all is well"
      : failing > 0 ? `${failing} of ${all.length} checks fail` : `${bad.length} of ${all.length} checks warn`,
    bad.length === 0 ? "good" : failing > 0 ? "bad" : "warn")),
    h("ul", { class: "checks" }, [...bad, ...all.filter((one) => one.Succeeded)].map((one) =>
      h("li", {}, chip(one.Succeeded ? "well" : warns(one) ? "warns" : "fails", one.Succeeded ? "good" : warns(one) ? "warn" : "bad"), " ", h("strong", {}, one.Name), " ",
        h("span", { class: "dim" }, one.Description), one.DiagnosisMessage ? h("p", {}, diagnosis(one)) : null))));
}

const does = (one) => [one.kind, one.name, one.partition].filter(Boolean).join(" · ");
const mean = (one) => (one.calls > 0 ? one.totalNanoseconds / one.calls : 0);
const COLUMNS = [{ name: "Module", first: "ascending", by: (one) => one.module }, { name: "State", by: (one) => one.state },
  { name: "Does", by: does }, { name: "Calls", class: "number", by: (one) => one.calls },
  { name: "Mean", class: "number", by: mean }, { name: "Longest", class: "number", by: (one) => one.mostNanoseconds },
  { name: "Faults", class: "number", by: (one) => one.faults }, { name: "Fallbacks", class: "number", by: (one) => one.fallbacks },
  { name: "Latest fault", class: "long", by: (one) => one.lastFault }];

const SHADOW_COLUMNS = [{ name: "Policy", first: "ascending", by: (one) => `${one.kind} ${one.name}` },
  { name: "Shadow", by: (one) => one.shadow }, { name: "State", by: (one) => one.off ?? "" },
  { name: "Calls", class: "number", by: (one) => one.calls }, { name: "Items", class: "number", by: (one) => one.items },
  { name: "Differences", class: "number", by: (one) => one.differences },
  { name: "Faults", class: "number", by: (one) => one.faults },
  { name: "Spent", class: "number", by: (one) => one.spentNanoseconds }];

const difference = (one) => h("li", {}, h("strong", {}, one.other ? `${one.object}, then ${one.other}` : one.object), " ",
  chip(one.what, "warn"), one.of ? h("span", { class: "dim" }, ` ${one.of}`) : null,
  h("p", {}, `In force: ${one.first}. The shadow: ${one.shadow}.`));

// Policies that are asked what others are asked, and decide nothing.
function comparisons(app, shadows) {
  if (shadows.length === 0) return [];
  return [h("section", { "aria-labelledby": "shadows-title" },
    h("h2", { id: "shadows-title" }, "Shadows"),
    table(app, "shadows", "Shadows", SHADOW_COLUMNS, ordered(app, "shadows", SHADOW_COLUMNS, shadows).map((one) => ({
      key: `${one.module} ${one.kind} ${one.name}`, cells: [
        [name(one.name), h("span", { class: "dim" }, ` ${one.kind}`)],
        [name(one.shadow), h("span", { class: "dim" }, ` ${one.shadowVersion}`)],
        chip(one.off ? "off" : "on", one.off ? "warn" : "good"),
        count(one.calls), count(one.items), count(one.differences), count(one.faults), time(one.spentNanoseconds)] }))),
    shadows.filter((one) => one.off).map((one) => h("p", {}, `The shadow of ${one.name} is off: ${readable(one.off)}`)),
    shadows.filter((one) => one.firstDifferences.length > 0).map((one) => [
      h("h3", {}, `First differences of ${one.kind} ${one.name}`),
      h("ul", { class: "checks" }, one.firstDifferences.map(difference))]))];
}

const fact = (what, value) => h("li", {}, h("strong", {}, what), " ", value);
const decided = (side) => side.decision ?? "nothing";

// One difference: what was in force, and beside it the shadow, each with what led there.
const parted = (one) => h("div", { class: "sides" }, ["a", "b"].map((side) => h("div", {},
  h("h4", {}, side === "a" ? "In force" : "The shadow"),
  h("p", {}, decided(one[side])),
  h("p", { class: "dim" }, Object.entries(one[side].policies).map(([what, how]) => `${what}: ${how}`).join("; ")))));

// A second scheduler in a process of its own, which decides nothing.
function beside(world) {
  if (world === null) return [];
  const follows = world.state === "follows";
  return [h("section", { "aria-labelledby": "world-title" },
    h("h2", { id: "world-title" }, "Shadow of the deployment ", chip(world.state, follows ? "good" : "warn")),
    world.message ? h("p", {}, readable(world.message)) : null,
    h("ul", { class: "checks" },
      Object.entries(world.settings).map(([what, how]) => fact("Other", `${what} ${how}`)),
      fact("Compared", `${count(world.compared)} decisions: ${count(world.same)} same, ${count(world.other)} other, ` +
        `${count(world.refused)} refused, ${count(world.passed_over)} passed over`),
      fact("Checked", `${count(world.checked)} decisions of the daemon: ${count(world.unequal)} unequal`),
      fact("Behind", `${count(world.commands_behind)} commands, ${duration(world.behind_ms)}`),
      fact("Restarts", `${count(world.restarts)} of ${count(world.most_restarts)}`),
      fact("Faults", `${count(world.faults)} of modules in its process`),
      world.first_faults.map((one) => fact(`Fault of ${one.module}`,
        `in the ${one.where}, after decision ${count(one.decision)}: ${readable(one.text)}`))),
    world.first_unequal ? h("p", {}, `Decision ${count(world.first_unequal.decision)} of the daemon is ` +
      `${world.first_unequal.daemon}; its replay made ${world.first_unequal.replay}.`) : null,
    world.first.map((one) => [h("h3", {}, `Other, before decision ${count(one.decision)}`), parted(one)]))];
}

export function render(app, { modules, health, shadows = [], world = null }) {
  return [
    h("section", { "aria-labelledby": "modules-title" },
      h("h2", { id: "modules-title" }, "Modules"),
      modules.length === 0 ? empty("No module runs: the scheduler uses its built-in rules.")
        : table(app, "modules", "Modules", COLUMNS, ordered(app, "modules", COLUMNS, modules).map((one, at) => ({ key: `${one.module} ${one.name ?? ""} ${one.partition ?? ""} ${at}`, cells: [
          [name(one.module), one.version ? h("span", { class: "dim" }, ` ${one.version}`) : null],
          chip(one.state, kind(one.state)),
          does(one) || "—",
          count(one.calls), time(mean(one)), time(one.mostNanoseconds),
          count(one.faults), count(one.fallbacks), one.lastFault || "—"] })))),
    ...comparisons(app, shadows),
    ...beside(world),
    checks(health),
    h("section", { "aria-labelledby": "reload-title" },
      h("h2", { id: "reload-title" }, "Configuration"),
      app.actionList([{ id: "reload", name: "Reload configuration", does: "The policy groups' files are read again.",
        path: "/tenon/v1/reload" }])),
  ];
}
