// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The page: which view is shown, when it is read again, and what keys and pointers do.
import * as actions from "./actions.js";
import * as applications from "./applications.js";
import * as devices from "./devices.js";
import { h, show } from "./dom.js";
import * as events from "./events.js";
import * as managers from "./managers.js";
import * as modules from "./modules.js";
import * as nodes from "./nodes.js";
import * as overview from "./overview.js";
import { empty, failed, handlers as sorting, name as words } from "./parts.js";
import * as people from "./people.js";
import * as preemptions from "./preemptions.js";
import * as queues from "./queues.js";
import * as reservations from "./reservations.js";
import { get, getSome, paths, readOffers, Refusal } from "./rest.js";
import { follow } from "./stream.js";
import * as timeline from "./timeline.js";
import { heading, notice } from "./top.js";
import { divide, types } from "./units.js";

const VIEWS = { overview, queues, applications, nodes, devices, people, reservations, preemptions, managers, events, modules };
const KINDS = { queue: queues, application: applications, node: nodes, devices, user: people, group: people, rm: managers };
const OF_ALL = ["managers", "modules"];  // views that are not of one partition

const POLL_MS = 10_000;     // where no event asks for it
const SOON_MS = 1_500;      // after an event
const HEALTH_MS = 30_000;
const RETRY_MS = [2_000, 5_000, 10_000, 20_000];

const app = {
  view: "overview",
  views: VIEWS,
  partitions: [],
  partition: null,
  health: null,
  data: {},
  sorts: {},  // by table
  detail: null,
  events: new events.Kept(),
  connection: { problem: null, tries: 0, at: 0, next: 0 },
  ui: {
    queues: { search: "", open: new Map(), more: new Map(), range: "60" },
    applications: { search: "", kind: "active", waiting: false, queue: "", page: 0 },
    nodes: { search: "", type: nodes.BUSIEST, closed: false, page: 0 },
    people: { search: "" }, "people-user": {}, "people-group": {},
    reservations: { search: "" }, preemptions: {}, managers: {},
    events: { search: "", type: "all", page: 0 },
    devices: { search: "" }, modules: {}, overview: { range: "60" },
  },
  capacity: () => app.partitions.find((one) => one.key === app.partition)?.capacity?.capacity ?? {},
  actionList: actions.list,
  draw, reload, open, close, go,
  forget(view) {
    delete app.data[view];
    reload();
  },
};

function body() {
  if (app.view === "events") return events.render(app);
  const { value, problem } = app.data[app.view] ?? {};
  if (value !== undefined && (app.partition !== null || OF_ALL.includes(app.view))) return VIEWS[app.view].render(app, value);
  if (problem instanceof Refusal) return [failed(VIEWS[app.view].title, problem)];
  if (app.connection.problem) return [empty("The scheduler has not answered yet.")];
  if (app.connection.at && app.partition === null) {
    return [empty("There is no partition yet: no resource manager has registered.")];
  }
  return [empty("Loading…")];
}

function detail() {
  const { kind, id, value, problem } = app.detail;
  const head = h("header", { "data-key": "head" }, h("h2", { id: "detail-title" },
    h("span", { class: "dim" }, `${kind === "rm" ? "resource manager" : kind} `), words(id)), h("button", { type: "button", "data-do": "close", "aria-label": "Close" }, "✕"));
  const inside = problem ? [h("p", { role: "alert", class: "notice bad" },
    problem.status === 404 ? `This ${kind} is no longer there.` : problem.message)]
    : kind !== "queue" && !value ? [empty("Loading…")]
      : KINDS[kind].details(app, id, value) ?? [empty(app.data.queues ? "This queue is no longer there." : "Loading…")];
  return [head, h("div", { class: "inside", "data-key": `${kind} ${id}` }, inside,
    problem ? null : actions.list(KINDS[kind].actions(app, id, value)))];
}

function draw() {
  show(document.getElementById("top"), heading(app));
  show(document.getElementById("notice"), notice(app));
  const main = document.getElementById("view");
  show(main, h("h1", { class: "hidden", "data-key": app.view }, VIEWS[app.view].title),
    h("div", { "data-key": `${app.view} of ${app.partition}` }, body()));
  main.setAttribute("data-view", app.view);
  document.title = `${VIEWS[app.view].title} · Tenon`;
  if (app.view === "nodes" && app.heat) nodes.drawn(app);
  if (app.detail) show(document.getElementById("detail"), detail());
}

let drawing = false;
function drawSoon() {
  if (drawing) return;
  drawing = true;
  setTimeout(() => {
    drawing = false;
    if (!document.hidden) draw();
  }, 250);
}

async function readPartitions() {
  const all = await get("/ws/v1/partitions");
  const names = all.map((one) => one.name);
  app.partitions = all.map((one) => ({ ...one,
    key: names.indexOf(one.name) === names.lastIndexOf(one.name) ? one.name : `[${one.clusterId}]${one.name}` }));
  if (!app.partitions.some((one) => one.key === app.partition)) app.partition = app.partitions[0]?.key ?? null;
}

let offersRead = false;
async function readOffersOnce() {
  if (offersRead) return;
  await readOffers();
  offersRead = true;
}

let healthAt = 0;
async function readHealth() {
  if (Date.now() - healthAt < HEALTH_MS) return;
  healthAt = Date.now();
  app.health = await get("/ws/v1/scheduler/healthcheck");
}

// Types that nodes divide are shown in devices; which ones they are is read again where a type is new.
let dividedOf = "";
async function readDivided() {
  const now = `${app.partition} ${types(app.capacity()).join(" ")}`;
  if (app.partition === null || dividedOf === now) return;
  dividedOf = now;
  const { list } = await getSome(`${paths.ours(app.partition)}/devices`, ["devices"], 1).catch(() => ({ list: [] }));
  divide(Object.fromEntries((list[0]?.devices ?? []).filter((one) => one.amount > 1).map((one) => [one.type, one.amount])));
}

async function readView() {
  const view = VIEWS[app.view], name = app.view, partition = app.partition;
  if (!view.load || (partition === null && !OF_ALL.includes(name))) return;
  const asked = (app.data[name] ??= {});
  try {
    const value = await view.load(app);
    if (app.data[name] === asked && app.partition === partition) app.data[name] = { value };
  } catch (problem) {
    if (!(problem instanceof Refusal)) throw problem;
    if (app.data[name] === asked) app.data[name] = { problem };
    if (problem.status === 401) throw problem;
  }
}

async function readDetail() {
  const asked = app.detail;
  if (!asked || app.partition === null) return;
  try {
    if (asked.kind === "queue") {
      app.data.queues = { value: await queues.load(app) };
    }
    asked.value = await KINDS[asked.kind].loadDetails(app, asked.id, asked);
    asked.problem = undefined;
  } catch (problem) {
    if (!(problem instanceof Refusal)) throw problem;
    asked.problem = problem;
  }
}

let reading = false, again = false, timer = 0, soonest = 0;

function plan(ms) {
  clearTimeout(timer);
  soonest = Date.now() + ms;
  timer = setTimeout(tick, ms);
}

async function tick() {
  if (reading) {
    again = true;
    return;
  }
  if (document.hidden) return;  // goes on when the page is looked at
  reading = true;
  again = false;
  try {
    await readPartitions();
    await Promise.all([readView(), readDetail(), readHealth(), readOffersOnce(), readDivided()]);
    app.connection = { problem: null, tries: 0, at: Date.now(), next: 0 };
  } catch (problem) {
    const tries = app.connection.tries + 1;
    const wait = RETRY_MS[Math.min(tries, RETRY_MS.length) - 1];
    app.connection = { ...app.connection, problem, tries, next: Date.now() + wait };
    if (problem.status === 401 && tries === 1) actions.askForToken(problem);
  }
  reading = false;
  draw();
  plan(again ? 0 : app.connection.problem ? app.connection.next - Date.now() : POLL_MS);
}

// Reads everything that is shown once more, now.
function reload() {
  healthAt = 0;
  draw();
  if (reading) again = true;
  else plan(0);
}

function go(view) {
  location.hash = `#/${view}`;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;  // as somebody typed it
  }
}

// An address is of a view, and of details where they are open: #/applications/application/app-1.
function arrive() {
  const [view, kind, id] = location.hash.replace(/^#\//, "").split("/").map(decoded);
  if (view in VIEWS) app.view = view;
  if (kind in KINDS && id) {
    if (app.detail?.kind !== kind || app.detail.id !== id) show_details(kind, id);
  } else if (app.detail) {
    document.getElementById("detail").close();
  }
  requestAnimationFrame(() => document.querySelector("nav a[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" }));
  reload();
}

let opener = null;
function open(kind, id) {
  if (id && id !== "—") location.hash = `#/${app.view}/${kind}/${encodeURIComponent(id)}`;
}

function show_details(kind, id) {
  if (!app.detail) opener = document.activeElement;
  app.detail = { kind, id };
  const dialog = document.getElementById("detail");
  draw();
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  reload();
}

function close() {
  document.getElementById("detail").close();
}

const handlers = {
  ...sorting, ...queues.handlers, ...applications.handlers, ...nodes.handlers, ...devices.handlers, ...events.handlers, ...actions.handlers,
  open: (_, { kind, id }) => open(kind, id),
  close,
  retry: reload,
  page(_, { view, page }, button) {
    if (button.getAttribute("aria-disabled") === "true") return;
    (view === "detail" ? app.detail : app.ui[view]).page = Number(page);
  },
  theme() {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try {
      localStorage.setItem("tenon-theme", root.dataset.theme);
    } catch {
      // Then it is for this visit alone.
    }
  },
};

const inputs = {
  ...applications.inputs, ...nodes.inputs, ...devices.inputs, ...timeline.inputs, ...events.inputs,
  search(_, element) {
    Object.assign(app.ui[element.dataset.view], { search: element.value, page: 0 });
  },
  partition(_, element) {
    app.partition = element.value;
    app.data = {};
    app.detail = null;
    app.ui.applications.queue = "";
    reload();
  },
};

document.addEventListener("click", (event) => {
  const skip = event.target.closest(".skip");
  if (skip) {
    event.preventDefault();
    document.getElementById("view").focus();
  }
  const button = event.target.closest("[data-do]");
  if (!button) return;
  handlers[button.dataset.do]?.(app, button.dataset, button);
  draw();
});
document.addEventListener("input", (event) => {
  const element = event.target.closest("[data-input]");
  if (!element) return;
  inputs[element.dataset.input]?.(app, element);
  draw();
});
document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-submit]");
  event.preventDefault();
  if (form) actions.submits[form.dataset.submit]?.(app, new FormData(form), form.dataset);
});
document.getElementById("detail").addEventListener("close", () => {
  app.detail = null;
  if (location.hash.split("/").length > 2) go(app.view);
  if (opener?.isConnected) opener.focus();
  draw();
});
document.addEventListener("visibilitychange", () => document.hidden || plan(0));
addEventListener("hashchange", arrive);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

follow({
  state(state, why = "") {
    Object.assign(app.events, { state, why });
    drawSoon();
  },
  start: () => app.events.start(),
  records(records) {
    app.events.add(records);
    const wanted = VIEWS[app.view].event_types;
    const soon = Date.now() + SOON_MS;
    if (records.some((one) => wanted.includes(one.type)) && soonest > soon && !app.connection.problem) plan(SOON_MS);
    if (app.view === "events" && !app.ui.events.frozen) drawSoon();
  },
});
setInterval(() => app.connection.problem && !document.hidden && draw(), 1000);
arrive();
