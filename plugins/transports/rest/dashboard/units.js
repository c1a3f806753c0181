// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Amounts, times and shares as people read them. Amounts come as numbers: vcore in thousandths, memory in bytes.

const BYTES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const FIRST = ["vcore", "memory"];

const is_bytes = (type) => type === "memory" || type === "ephemeral-storage" || type.startsWith("hugepages-");
const digits = (value) => (value < 10 ? 2 : value < 100 ? 1 : 0);
export const precise = (value) => value.toLocaleString("en", { maximumFractionDigits: digits(Math.abs(value)) });

// How much one device of a type is, for types that nodes divide: a GPU of which allocations may have a part is 1000.
let devices = {};
export const divide = (by_type) => { devices = by_type; };

// [number, unit] of an amount; `like` decides the unit where several amounts stand together.
function scaled(type, value, like = value) {
  if (devices[type]) return [precise(value / devices[type]), ""];
  if (type === "vcore") return [precise(value / 1000), like === 1000 ? "core" : "cores"];
  if (!is_bytes(type)) return [value.toLocaleString("en"), ""];
  let power = 0;
  for (let left = Math.abs(like); left >= 1024 && power < BYTES.length - 1; left /= 1024) ++power;
  return [precise(value / 1024 ** power), BYTES[power]];
}

export function amount(type, value) {
  const [number, unit] = scaled(type, value ?? 0);
  return unit ? `${number} ${unit}` : number;
}

// "12.5 of 40 cores"
export function of(type, used, whole) {
  const [a] = scaled(type, used ?? 0, whole);
  const [b, unit] = scaled(type, whole, whole);
  return `${a} of ${b}${unit ? ` ${unit}` : ""}`;
}

export const label = (type) => (type === "vcore" ? "CPU" : type === "memory" ? "Memory" : type);

// All types of these amounts, the usual ones first.
export function types(...maps) {
  const all = new Set(maps.flatMap((map) => Object.keys(map ?? {})));
  const rest = [...all].filter((type) => !FIRST.includes(type)).sort();
  return [...FIRST.filter((type) => all.has(type)), ...rest];
}

// "12.5 cores, 3 GiB"
export function amounts(map) {
  const named = types(map).map((type) => {
    const text = amount(type, map[type]);
    return FIRST.includes(type) ? text : `${text} ${type}`;
  });
  return named.length === 0 ? "nothing" : named.join(", ");
}

// Returns the number of an amount that a text of the scheduler has, as "1500m", "1.5" (cores) or "8Gi"; NaN where it has none.
function numbered(type, text) {
  const [, number, suffix] = /^([\d.]+)([A-Za-z]*)$/.exec(text) ?? [];
  if (type === "vcore") return suffix === "m" ? Number(number) : suffix === "" ? Math.round(Number(number) * 1000) : NaN;
  const power = suffix ? BYTES.indexOf(`${suffix}B`) : 0;
  return power < 0 ? NaN : Number(number) * 1024 ** power;
}

const said = (type, text) => (Number.isFinite(numbered(type, text)) ? amount(type, numbered(type, text)) : text);

const said_of = (type, text) => `${said(type, text)}${type === "vcore" ? "" : ` of ${type}`}`;

const listed = (whole, inside) => {
  const map = {};
  for (const part of inside.split(" ").filter(Boolean)) {
    const at = part.lastIndexOf(":"), value = Number(part.slice(at + 1));
    if (at <= 0 || !Number.isFinite(value)) return whole;
    map[part.slice(0, at)] = value;
  }
  return amounts(map);
};

// Returns a text of the scheduler with its amounts as people read them: "map[memory:1073741824 vcore:1500]", and what it says
// of asks that are larger than any node or limit, and of what to do.
export const readable = (text) => (text ?? "").replace(/map\[([^\]]*)\]/g, listed)
  .replace(/asks (\S+) of (\S+), (?:(the largest node has|the max of queue \S+ is) ([\d.]*\d[A-Za-z]*)|no node)/g,
    (_, asked, type, limit, value) => `asks ${said_of(type, asked)}, ${limit ? `${limit} ${said(type, value)}` : "no node"}`)
  .replace(/(at most|node that has) ([\d.]*\d[A-Za-z]*) of ([\w./-]*\w)/g, (_, before, value, type) => `${before} ${said_of(type, value)}`)
  .replace(/max (\S+) of queue (\S+) to ([\d.]*\d[A-Za-z]*)/g, (_, type, queue, value) => `max ${type} of queue ${queue} to ${said(type, value)}`);

// Returns an amount as the scheduler writes it in texts: whole cores as "4", others as "1500m", bytes in the largest binary
// unit that is exact as "8Gi", other types as plain numbers.
function written(type, value) {
  if (type === "vcore") return value % 1000 === 0 ? `${value / 1000}` : `${value}m`;
  if (!is_bytes(type) || value === 0) return `${value}`;
  let power = 0;
  for (; value % 1024 === 0 && power < BYTES.length - 1; ++power) value /= 1024;
  return `${value}${BYTES[power].slice(0, -1)}`;
}

// The words that stand before amounts in texts of the scheduler, and before no name.
const AMOUNT = /(?<=\b(?:asked|free|of|short|from|to|add) )\d+[A-Za-z]*(?![\w-]|\.\w)/g;

// Returns what the scheduler says of an obstacle or a change, with each amount as people read it.
export function spoken({ text = "", type, resource, ...numbers }) {
  if (resource) return text.replace(/ with [^,]*$/, ` with ${amounts(resource)}`);
  const is_count = numbers.kind === "raise-node-devices" || numbers.kind?.endsWith("applications");
  if (!type || is_count) return text;
  const { asked, limit, used, free, shortBy, from = 0, to = 0 } = numbers;
  const words = new Map([0, asked, limit, used, free, shortBy, from, to, to - from].filter(Number.isFinite)
    .map((value) => [written(type, value), amount(type, value)]));
  return text.replace(AMOUNT, (found) => words.get(found) ?? found);
}

export const count = (value) => (value ?? 0).toLocaleString("en");
export const plural = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

// A share in percent; null where there is nothing to have a share of.
export function share(used, whole) {
  if (!whole || whole <= 0) return null;
  return Math.max(0, ((used ?? 0) / whole) * 100);
}

export const percent = (value) => (value === null ? "—" : value > 0 && value < 0.5 ? "< 1 %" : `${Math.round(value)} %`);

// The share of the type of which most is used.
export function dominant(used, whole) {
  const shares = Object.keys(whole ?? {}).map((type) => share(used?.[type], whole[type])).filter((one) => one !== null);
  return shares.length === 0 ? null : Math.max(...shares);
}

export function duration(ms) {
  if (ms === 0) return "0 s";
  if (ms < 1) return `${precise(ms * 1000)} µs`;
  if (ms < 1000) return `${precise(ms)} ms`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const both = (whole, unit, rest, lesser) => `${Math.floor(whole)} ${unit}${rest > 0 ? ` ${rest} ${lesser}` : ""}`;
  if (seconds < 3600) return both(seconds / 60, "min", seconds % 60, "s");
  if (seconds < 86400) return both(seconds / 3600, "h", Math.floor(seconds / 60) % 60, "min");
  return both(seconds / 86400, "d", Math.floor(seconds / 3600) % 24, "h");
}

export const clock = (nanoseconds) =>
  new Date(nanoseconds / 1e6).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
export const when = (nanoseconds) =>
  new Date(nanoseconds / 1e6).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
export const since = (nanoseconds) => duration(Math.max(0, Date.now() - nanoseconds / 1e6));
