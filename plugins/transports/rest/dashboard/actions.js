// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What people may change: asked once more, sent with the token, and what came of it said.
import { h, show } from "./dom.js";
import { hasToken, offered, post, setToken } from "./rest.js";

let chosen = null;   // the action that is being asked about, and where it is
let outcome = null;  // of the last one

export function list(all) {
  const actions = all.filter((one) => offered(one.path));
  if (actions.length === 0) return null;
  if (!hasToken()) {
    return h("p", {}, h("button", { type: "button", "data-do": "token" }, "Enter a token to act"));
  }
  const asked = actions.find((one) => one.path === chosen?.path);
  return h("div", { class: "actions" },
    asked ? form(asked) : actions.map((one) => h("button", { type: "button", "data-key": one.path, "data-do": "act", "data-path": one.path,
      class: one.danger ? "danger" : null }, one.name)),
    outcome && actions.some((one) => one.path === outcome.path)
      ? h("p", { role: "status", class: outcome.bad ? "outcome bad" : "outcome good" }, outcome.words) : null);
}

function form(action) {
  return h("form", { class: "ask-again", "data-submit": "act", "data-key": "form", "data-path": action.path },
    h("p", {}, action.does),
    action.queue ? h("label", { class: "field" }, h("span", {}, "To queue"),
      h("input", { name: "queue", id: "act-queue", required: true, autocomplete: "off", placeholder: "root.other" })) : null,
    h("label", { class: "field" }, h("span", {}, "Reason, for the record"),
      h("input", { name: "reason", id: "act-reason", autocomplete: "off", maxlength: 200 })),
    h("p", {}, h("button", { type: "submit", class: action.danger ? "danger" : "main" }, action.name.replace("…", "")), " ",
      h("button", { type: "button", "data-do": "no-act" }, "Cancel")));
}

function tokenForm(refused) {
  return [h("h2", { id: "token-title" }, "Token"),
    refused ? h("p", { role: "alert", class: "notice bad" }, `The server refuses the token: ${refused}.`) : null,
    h("p", {}, "Actions want a token that the configuration of tenon.rest lists. It is kept until this tab is closed."),
    h("form", { "data-submit": "token" },
      h("label", { class: "field" }, h("span", {}, "Token"),
        h("input", { type: "password", name: "token", id: "token-text", autocomplete: "off", spellcheck: "false" })),
      h("p", {}, h("button", { type: "submit", class: "main" }, "Use it"), " ",
        hasToken() ? [h("button", { type: "button", "data-do": "forget-token" }, "Forget the token"), " "] : null,
        h("button", { type: "button", "data-do": "close-token" }, "Cancel")))];
}

// `problem` is a 401, where one asks for it.
export function askForToken(problem) {
  const dialog = document.getElementById("token");
  show(dialog, tokenForm(hasToken() ? problem?.message : null));
  if (!dialog.open) dialog.showModal();
  document.getElementById("token-text").focus();
}

export const handlers = {
  token: () => askForToken(),
  "close-token"() {
    document.getElementById("token").close();
  },
  "forget-token"(app) {
    setToken("");
    document.getElementById("token").close();
    app.reload();
  },
  act(app, { path }) {
    chosen = { path };
    outcome = null;
    app.draw();
    document.querySelector(".ask-again input")?.focus();
  },
  "no-act"() {
    chosen = null;
  },
};

export const submits = {
  token(app, form) {
    setToken(form.get("token").trim());
    document.getElementById("token").close();
    document.getElementById("token-text").value = "";
    app.reload();
  },
  async act(app, form, { path }) {
    const reason = form.get("reason").trim();
    const queue = form.get("queue")?.trim();
    outcome = { path, words: "Asking the scheduler…" };
    chosen = null;
    app.draw();
    try {
      await post(path + (reason ? `?${new URLSearchParams({ reason })}` : ""), queue ? { queue } : undefined);
      outcome = { path, words: "Done." };
    } catch (problem) {
      outcome = { path, words: `Refused: ${problem.message}`, bad: true };
      if (problem.status === 401) askForToken(problem);
    }
    app.reload();
  },
};
