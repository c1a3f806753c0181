// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Amounts, times and shares as people read them. Amounts come as numbers: vcore in thousandths, memory in bytes.

const BYTES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const FIRST = ["vcore", "memory"];

const is_bytes = (type) => type === "memory" || type.includes("storage") || type.startsWith("hugepages");
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

// Texts of the scheduler have amounts as "map[memory:1073741824 vcore:1500]".
export const readable = (text) => (text ?? "").replace(/map\[([^\]]*)\]/g, (whole, inside) => {
  const map = {};
  for (const part of inside.split(" ").filter(Boolean)) {
    const at = part.lastIndexOf(":"), value = Number(part.slice(at + 1));
    if (at <= 0 || !Number.isFinite(value)) return whole;
    map[part.slice(0, at)] = value;
  }
  return amounts(map);
});

// What the scheduler says of amounts of one type, with each number that stands beside it as people read it.
export function spoken({ text, type, resource = {}, ...numbers }) {
  const raw = (kind, value) => (kind === "vcore" ? `${value}m` : `${value}`);
  let out = text ?? "";
  const say = (kind, value, before = "") => {
    if (typeof value !== "number" || (kind !== "vcore" && !is_bytes(kind) && !devices[kind])) return;
    const words = new RegExp(`(?<![\\w.-])${before}${raw(kind, value)}(?![\\w-]|\\.\\w)`, "g");
    out = out.replace(words, before + amount(kind, value));
  };
  const is_count = numbers.kind === "raise-node-devices" || numbers.kind?.endsWith("applications");
  if (type && !is_count) for (const value of amountsOf(numbers)) say(type, value);
  for (const [kind, value] of Object.entries(resource)) say(kind, value, `${kind} `);
  return out;
}
// Larger ones first; what is asked for besides what is there is a number of the text, too.
const amountsOf = ({ asked, limit, used, free, shortBy, from, to }) =>
  [asked, limit, used, free, shortBy, from, to, to - from].filter(Number.isFinite).sort((a, b) => b - a);

export const count = (value) => (value ?? 0).toLocaleString("en");
export const plural = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

// A share in percent; null where there is nothing to have a share of.
export function share(used, whole) {
  if (!whole || whole <= 0) return null;
  return Math.max(0, ((used ?? 0) / whole) * 100);
}

export const percent = (value) => (value === null ? "—" : `${Math.round(value)} %`);

// The share of the type of which most is used.
export function dominant(used, whole) {
  const shares = Object.keys(whole ?? {}).map((type) => share(used?.[type], whole[type])).filter((one) => one !== null);
  return shares.length === 0 ? null : Math.max(...shares);
}

export function duration(ms) {
  if (ms < 1) return `${precise(ms * 1000)} µs`;
  if (ms < 1000) return `${precise(ms)} ms`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor(seconds / 3600) % 24} h`;
}

export const clock = (nanoseconds) =>
  new Date(nanoseconds / 1e6).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
export const when = (nanoseconds) =>
  new Date(nanoseconds / 1e6).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium" });
export const since = (nanoseconds) => duration(Math.max(0, Date.now() - nanoseconds / 1e6));
