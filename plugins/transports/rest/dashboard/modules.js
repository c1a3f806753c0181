// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Modules: how they do and how long they take; and whether the scheduler is well.
import { h } from "./dom.js";
import { chip, empty, name, ordered, table, warns } from "./parts.js";
import { get } from "./rest.js";
import { count, duration, readable } from "./units.js";

export const title = "Modules";
export const event_types = [];

export async function load() {
  const [modules, health] = await Promise.all([get("/tenon/v1/modules"), get("/ws/v1/scheduler/healthcheck")]);
  return { modules, health };
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
        h("span", { class: "dim" }, one.Description), one.DiagnosisMessage ? h("p", {}, readable(one.DiagnosisMessage)) : null))));
}

const does = (one) => [one.kind, one.name, one.partition].filter(Boolean).join(" · ");
const mean = (one) => (one.calls > 0 ? one.totalNanoseconds / one.calls : 0);
const COLUMNS = [{ name: "Module", first: "ascending", by: (one) => one.module }, { name: "State", by: (one) => one.state },
  { name: "Does", by: does }, { name: "Calls", class: "number", by: (one) => one.calls },
  { name: "Mean", class: "number", by: mean }, { name: "Longest", class: "number", by: (one) => one.mostNanoseconds },
  { name: "Faults", class: "number", by: (one) => one.faults }, { name: "Fallbacks", class: "number", by: (one) => one.fallbacks },
  { name: "Latest fault", class: "long", by: (one) => one.lastFault }];

export function render(app, { modules, health }) {
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
    checks(health),
    h("section", { "aria-labelledby": "reload-title" },
      h("h2", { id: "reload-title" }, "Configuration"),
      app.actionList([{ id: "reload", name: "Reload configuration", does: "The policy groups' files are read again.",
        path: "/tenon/v1/reload" }])),
  ];
}
