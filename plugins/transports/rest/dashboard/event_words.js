// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The numbers of event records in words, as the scheduler interface has them.

export const TYPES = ["System", "Ask", "Application", "Node", "Queue", "User or group"];

const CHANGES = ["", "changed", "added", "removed"];
const DETAILS = {
  100: "cancelled", 101: "allocated", 102: "timed out",
  200: "allocation", 201: "ask", 202: "rejected", 203: "new", 204: "accepted", 206: "running", 207: "completing",
  208: "completed", 209: "failing", 210: "failed", 211: "resuming", 212: "expired", 213: "held: the queue's applications",
  214: "runnable in the queue", 215: "held: quota", 216: "runnable in the quota",
  300: "decommissioned", 302: "schedulable", 303: "allocation", 304: "capacity", 305: "used by others", 306: "reservation",
  400: "configuration", 401: "dynamic queue", 402: "type", 403: "max", 404: "guaranteed", 405: "application",
  406: "allocation", 407: "preemption",
  500: "allocation cancelled", 501: "allocation preempted", 502: "allocation timed out", 503: "allocation replaced",
  504: "allocation: node removed",
  600: "user limit", 601: "group limit", 602: "application and group", 603: "user's use", 604: "group's use",
};

// "allocation added"
export function what(record) {
  const detail = DETAILS[record.eventChangeDetail] ?? "";
  const change = CHANGES[record.eventChangeType] ?? "";
  const is_whole = detail && (change === "changed" || Math.floor(record.eventChangeDetail / 100) === 5);
  return [detail, is_whole ? "" : change].filter(Boolean).join(" ") || "note";
}
