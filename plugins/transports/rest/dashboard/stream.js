// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The live stream of events: one JSON object a line, opened again when it ends, open while the page is looked at.
import { headers, refusal } from "./rest.js";

const HISTORY = 200;
const SHORTEST_MS = 1000;
const LONGEST_MS = 30_000;
const LIVE = 3;  // windows of one browser at once: it opens no more than six connections to a server

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function* lines(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    const whole = parts.filter((part) => part !== "");
    if (whole.length > 0) yield whole;
  }
}

const seen = () => new Promise((yes) => {
  if (document.hidden) document.addEventListener("visibilitychange", () => yes(), { once: true });
  else yes();
});

// Does it while this window is one of those that may be live. False: there are enough of them.
// Browsers have these locks on HTTPS and on this machine alone.
async function inTurn(work) {
  if (!navigator.locks) return (await work(), true);
  for (let place = 0; place < LIVE; ++place) {
    const done = await navigator.locks.request(`tenon-stream-${place}`, { ifAvailable: true },
      async (lock) => lock !== null && (await work(), true));
    if (done) return true;
  }
  return false;
}

async function read(told, signal, begun) {
  told.state("connecting");
  const answer = await fetch(`/ws/v1/events/stream?count=${HISTORY}`, { headers: headers(), signal });
  if (!answer.ok) throw await refusal(answer);
  let end = "the server closed the stream";
  for await (const batch of lines(answer.body)) {
    const objects = batch.map((line) => JSON.parse(line));
    const first = objects.find((one) => "InstanceUUID" in one);
    if (first) {
      begun();
      told.start(first.InstanceUUID);
      told.state("live");
    }
    end = objects.find((one) => "status_code" in one)?.message ?? end;
    const records = objects.filter((one) => !("InstanceUUID" in one) && !("status_code" in one));
    if (records.length > 0) told.records(records);
  }
  told.state("waiting", end);
}

// told.state("connecting" | "live" | "waiting" | "off", why), told.start(run), told.records(list).
// After start come the latest events of before, then those that happen.
export async function follow(told) {
  for (let wait = SHORTEST_MS; ; wait = Math.min(wait * 2, LONGEST_MS)) {
    await seen();
    const hidden = new AbortController();
    const hide = () => hidden.abort();
    document.addEventListener("visibilitychange", hide, { once: true });
    const first = () => {
      wait = SHORTEST_MS;
    };
    try {
      if (!(await inTurn(() => read(told, hidden.signal, first)))) {
        first();
        told.state("waiting", "other windows of this browser are live");
      }
    } catch (problem) {
      const off = problem.status === 500;
      if (off) wait = LONGEST_MS;
      if (!hidden.signal.aborted) told.state(off ? "off" : "waiting", problem.message);
    }
    document.removeEventListener("visibilitychange", hide);
    if (hidden.signal.aborted) first();
    else await pause(wait * (0.75 + Math.random() / 2));
  }
}
