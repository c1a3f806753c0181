// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What stands above every view: partition, health, the way to the other views, and trouble.
import { h } from "./dom.js";
import { chip, choice, warns } from "./parts.js";
import { hasToken } from "./rest.js";
import { clock, plural } from "./units.js";

function health(app) {
  if (app.connection.problem) return chip("disconnected", "bad");
  if (!app.health) return null;
  const bad = (app.health.HealthChecks ?? []).filter((one) => !one.Succeeded);
  const failing = bad.filter((one) => !warns(one)).length;
  if (failing > 0) return chip(plural(failing, "check fails", "checks fail"), "bad");
  return bad.length > 0 ? chip(plural(bad.length, "check warns", "checks warn"), "warn") : chip("healthy", "good");
}

const STREAM = { live: ["live", "good"], connecting: ["connecting", "plain"], waiting: ["not live", "warn"], off: ["no events", "warn"] };

export function heading(app) {
  const [words, kind] = STREAM[app.events.state];
  return [
    h("div", { class: "bar", "data-key": "bar" },
      h("span", { class: "brand" }, "Tenon"),
      app.partitions.length > 0
        ? choice("partition", "Partition", app.partitions.map((one) => [one.key, one.key]), app.partition) : null,
      h("span", { class: "chips" }, h("a", { href: "#/overview" }, health(app)), " ", chip(words, kind)),
      h("span", { class: "right" },
        h("button", { type: "button", "data-do": "token" }, hasToken() ? "Token ✓" : "Token"), " ",
        h("button", { type: "button", "data-do": "theme", "aria-label": "Switch between light and dark" }, "◐"))),
    h("nav", { "aria-label": "Views", "data-key": "views" }, h("ul", {}, Object.entries(app.views).map(([name, view]) =>
      h("li", {}, h("a", { href: `#/${name}`, "aria-current": app.view === name ? "page" : null }, view.title))))),
  ];
}

function trouble(problem) {
  if (problem.status === 401) return hasToken() ? `The server refuses the token: ${problem.message}.` : "The server wants a token.";
  if (problem.status === 429) return "The server answers this page no more for a moment: too many requests.";
  return problem.status ? `The scheduler refuses: ${problem.message}.` : "The scheduler does not answer.";
}

export function notice(app) {
  const { problem, at, next } = app.connection;
  if (!problem) return null;
  const seconds = Math.max(0, Math.ceil((next - Date.now()) / 1000));
  return h("div", { class: "notice bad" },
    h("p", {}, h("strong", {}, `${trouble(problem)} `),
      at ? `What is shown is from ${clock(at * 1e6)}. ` : "",
      h("span", { "aria-hidden": "true" }, `Next try in ${seconds} s.`)),
    h("button", { type: "button", "data-do": problem.status === 401 ? "token" : "retry" },
      problem.status === 401 ? "Enter a token" : "Try now"));
}
