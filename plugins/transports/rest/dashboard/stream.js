// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The live stream of events: one JSON object a line, opened again when it ends.
import { headers, refusal } from "./rest.js";

const HISTORY = 200;
const SHORTEST_MS = 1000;
const LONGEST_MS = 30_000;

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

// told.state("connecting" | "live" | "waiting" | "off", why), told.start(run), told.records(list).
// After start come the latest events of before, then those that happen.
export async function follow(told) {
  for (let wait = SHORTEST_MS; ; wait = Math.min(wait * 2, LONGEST_MS)) {
    try {
      told.state("connecting");
      const answer = await fetch(`/ws/v1/events/stream?count=${HISTORY}`, { headers: headers() });
      if (!answer.ok) throw await refusal(answer);
      for await (const batch of lines(answer.body)) {
        const objects = batch.map((line) => JSON.parse(line));
        const first = objects.find((one) => "InstanceUUID" in one);
        if (first) {
          wait = SHORTEST_MS;
          told.start(first.InstanceUUID);
          told.state("live");
        }
        const records = objects.filter((one) => !("InstanceUUID" in one) && !("status_code" in one));
        if (records.length > 0) told.records(records);
      }
      told.state("waiting", "the server closed the stream");
    } catch (problem) {
      const off = problem.status === 500;
      if (off) wait = LONGEST_MS;
      told.state(off ? "off" : "waiting", problem.message);
    }
    await pause(wait * (0.75 + Math.random() / 2));
  }
}
