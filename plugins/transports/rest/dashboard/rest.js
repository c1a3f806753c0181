// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Requests to the server that this page came from. The token lives as long as the tab.

const PATIENCE_MS = 30_000;
const KEY = "tenon-token";

export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

let token = "";
try {
  token = sessionStorage.getItem(KEY) ?? "";
} catch {
  // Storage may be forbidden: the token lives as long as the page.
}

export const hasToken = () => token !== "";
export function setToken(text) {
  token = text;
  try {
    if (text) sessionStorage.setItem(KEY, text);
    else sessionStorage.removeItem(KEY);
  } catch {
    // As above.
  }
}

export const headers = () => (token ? { Authorization: `Bearer ${token}` } : {});

async function send(path, options = {}) {
  const answer = await fetch(path, {
    ...options,
    headers: { ...headers(), ...options.headers },
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  if (answer.ok) return answer;
  throw await refusal(answer);
}

export async function refusal(answer) {
  const text = await answer.text().catch(() => "");
  let message = text.slice(0, 300);
  try {
    const answered = JSON.parse(text);
    message = answered.description ?? answered.message ?? message;
  } catch {
    // Not every answer is JSON.
  }
  return new Refusal(answer.status, message || `the server answered ${answer.status}`);
}

export async function get(path, wishes = {}) {
  return (await send(path, { headers: wishes })).json();
}

// All of a list, page by page: no answer is so large that others wait for it.
export async function getAll(path, fields, limit = 2000) {
  const all = [];
  let cursor = "";
  do {
    const query = new URLSearchParams({ limit, fields: fields.join(",") });
    if (cursor) query.set("cursor", cursor);
    const answer = await send(`${path}?${query}`);
    all.push(...(await answer.json()));
    cursor = answer.headers.get("Tenon-Next-Cursor") ?? "";
  } while (cursor);
  return all;
}

// A list up to a limit, and whether there is more.
export async function getSome(path, fields, limit) {
  const answer = await send(`${path}?${new URLSearchParams({ limit, fields: fields.join(",") })}`);
  return { list: await answer.json(), more: answer.headers.has("Tenon-Next-Cursor") };
}

export async function post(path, body) {
  return (await send(path, { method: "POST", body: body === undefined ? undefined : JSON.stringify(body) })).json();
}

let offers = [];

// What the server can be asked to do: its own description says so.
export async function readOffers() {
  const { paths: all } = await get("/tenon/v1/openapi.json");
  offers = Object.keys(all).filter((path) => all[path].post).map((path) => new RegExp(`^${path.replace(/{[^}]+}/g, "[^/]+")}$`));
}
export const offered = (path) => offers.some((one) => one.test(path));

const once = encodeURIComponent;
// Queue names are decoded twice by the interface.
const twice = (name) => once(once(name));
export const paths = {
  partition: (partition) => `/ws/v1/partition/${once(partition)}`,
  ours: (partition) => `/tenon/v1/partition/${once(partition)}`,
  queue: (partition, name) => `${paths.ours(partition)}/queue/${twice(name)}`,
  node: (id) => `/node/${once(id)}`,
  application: (id) => `/application/${once(id)}`,
  explain: (partition, id, key) => `${paths.ours(partition)}/application/${once(id)}/explain/${once(key)}`,
};
