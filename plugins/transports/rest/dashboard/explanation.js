// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Why an ask waits: its place in line, what holds it, and what would let it run.
import { h } from "./dom.js";
import { facts } from "./parts.js";
import { count, label, plural, readable, spoken, types } from "./units.js";

function position({ waiting, before, pending }) {
  if (!pending) return "It no longer waits.";
  const own = `It waits for ${plural(waiting, "allocation")}; `;
  return own + (before === 0 ? "nothing is tried before it." : `${plural(before, "allocation")} of others ${before === 1 ? "is" : "are"} tried before it.`);
}

function nodes(all) {
  if (!all) return null;
  const by = (map, words) => types(map).map((type) => [`${words} ${label(type)}`, plural(map[type], "node")]);
  return facts([
    ["Nodes that fit", `${count(all.fit)} of ${count(all.nodes)}`],
    ["Not schedulable", all.notSchedulable ? plural(all.notSchedulable, "node") : null],
    ...by(all.tooLittle, "Too little"), ...by(all.devicesMissing, "Devices missing:"), ...by(all.refused, "Refused by"),
    ...by(all.refusedByRM, "Refused by the resource manager:"),
  ]);
}

const OUTCOMES = {
  "runs": "What would let it run next", "waits": "Not enough: with this it would still wait",
  "others-first": "What it lacks for itself; others take it first", "not-tried": "What it lacks for itself",
};

// What the scheduler found when it made the changes in a copy of the partition.
function changes({ changes: all, outcome, after, text }) {
  if (all.length === 0) return null;
  const title = outcome === "runs" && after
    ? `What would let it run, after ${plural(after, "decision")} for others` : OUTCOMES[outcome];
  return [h("h4", {}, title), h("ul", {}, all.map((one) => h("li", {}, spoken(one)))),
    outcome === "waits" ? h("p", { class: "dim" }, text.slice(text.lastIndexOf("\n") + 1)) : null];
}

export function explanation(found) {
  if (!found) return h("div", { class: "explanation" }, h("p", { class: "dim" }, "Asking the scheduler…"));
  if (found.problem) return h("div", { class: "explanation", role: "alert" }, h("p", {}, found.problem.message));
  const never = /^It can never run[^\n]*/.exec(found.text);  // with what an operator can do
  return h("div", { class: "explanation" },
    never ? h("p", { class: "notice bad" }, readable(never[0])) : null,
    h("p", {}, h("strong", {}, position(found))),
    found.obstacles.length === 0
      ? h("p", { class: "dim" }, found.text)
      : [h("h4", {}, "What holds it"), h("ul", {}, found.obstacles.map((one) => h("li", {}, spoken(one))))],
    changes(found),
    h("h4", {}, "Nodes"), nodes(found.nodes));
}
