// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// An RM on @grpc/grpc-js, on classes made of the .proto files: a whole session.
//   node session.mjs PROTO-FOLDER ADDRESS first|later QUEUES.YAML
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";

const [folder, address, dialect, queues] = process.argv.slice(2);
const answerWithin = 30_000; // milliseconds

const definition = loader.loadSync(["si/v1/si.proto", "tenon/si/v1later/si.proto"], {
  includeDirs: [folder, "/usr/include"],
  keepCase: true,
  longs: Number,
  enums: String,
  defaults: true,
});
const root = grpc.loadPackageDefinition(definition);

function check(held, what) {
  if (!held) throw new Error(`failed: ${what}`);
}

async function inTime(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`failed: no ${what} in time`)), answerWithin);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function deadline() {
  return new Date(Date.now() + answerWithin);
}

function resource(amounts) {
  const resources = {};
  for (const [name, value] of Object.entries(amounts)) resources[name] = { value };
  return { resources };
}

// What both dialects have in common: answers by kind, waited for.
class Rm {
  constructor(service, rm) {
    this.client = new service(address, grpc.credentials.createInsecure());
    this.rm = rm;
    this.heard = {};
    this.waiting = [];
  }

  register(more) {
    const request = { rmID: this.rm, version: "node", ...more };
    return new Promise((resolve, reject) => {
      this.client.RegisterResourceManager(request, { deadline: deadline() }, (error) =>
        error ? reject(error) : resolve(),
      );
    });
  }

  stream(method) {
    const call = this.client[method]();
    const stream = { call };
    const ended = new Promise((resolve) => call.on("status", resolve));
    stream.ended = () => inTime(ended, `end of ${method}`);
    call.on("error", () => {});
    call.on("data", (answer) => {
      for (const [kind, values] of Object.entries(answer)) {
        if (Array.isArray(values)) (this.heard[kind] ??= []).push(...values);
      }
      this.waiting = this.waiting.filter((each) => !each());
    });
    call.write({ rmID: this.rm });
    return stream;
  }

  wait(kind, count, which = () => true) {
    const found = new Promise((resolve) => {
      const look = () => {
        const found = (this.heard[kind] ?? []).filter(which);
        if (found.length < count) return false;
        resolve(found);
        return true;
      };
      if (!look()) this.waiting.push(look);
    });
    return inTime(found, `${count} ${kind}`);
  }

  // An answer may come a second time after a cut.
  keys(kind) {
    return new Set((this.heard[kind] ?? []).map((each) => each.allocationKey));
  }

  forget() {
    this.heard = {};
  }

  application(name, more) {
    const ugi = { user: "node", groups: ["clients"] };
    return { applicationID: name, queueName: "root.work", partitionName: "default", ugi, ...more };
  }
}

class First extends Rm {
  accepted = "acceptedApplications";
  nodes = "acceptedNodes";
  placed = "newAllocations";
  released = "releasedAllocations";

  open() {
    this.update = this.stream("Update");
    this.streams = [this.update];
  }

  addApplication(name, more) {
    this.update.call.write({ newApplications: [this.application(name, more)] });
  }

  removeApplication(name) {
    this.update.call.write({ removeApplications: [{ applicationID: name, partitionName: "default" }] });
  }

  addNode(name, amounts) {
    this.update.call.write({ newSchedulableNodes: [{ nodeID: name, schedulableResource: resource(amounts) }] });
  }

  ask(key, application, more) {
    const resourceAsk = resource({ vcore: 1000 });
    const ask = { allocationKey: key, applicationID: application, partitionName: "default", resourceAsk, ...more };
    this.update.call.write({ asks: [{ maxAllocations: 1, ...ask }] });
  }

  release(allocation, terminationType) {
    const { applicationID, UUID } = allocation;
    const release = { partitionName: "default", applicationID, UUID, terminationType };
    this.update.call.write({ releases: { allocationsToRelease: [release] } });
  }

  nameOf(allocation) {
    return allocation.UUID;
  }
}

class Later extends Rm {
  accepted = "accepted";
  nodes = "accepted";
  placed = "new";
  released = "released";

  open() {
    this.applications = this.stream("UpdateApplication");
    this.machines = this.stream("UpdateNode");
    this.allocations = this.stream("UpdateAllocation");
    this.streams = [this.applications, this.machines, this.allocations];
  }

  addApplication(name, more) {
    this.applications.call.write({ new: [this.application(name, more)] });
  }

  removeApplication(name) {
    this.applications.call.write({ remove: [{ applicationID: name, partitionName: "default" }] });
  }

  addNode(name, amounts) {
    const node = { nodeID: name, action: "CREATE", schedulableResource: resource(amounts) };
    this.machines.call.write({ nodes: [node] });
  }

  ask(key, application, more) {
    const resourcePerAlloc = resource({ vcore: 1000 });
    const ask = { allocationKey: key, applicationID: application, partitionName: "default", resourcePerAlloc, ...more };
    this.allocations.call.write({ allocations: [ask] });
  }

  release(allocation, terminationType) {
    const { applicationID, allocationKey } = allocation;
    const release = { partitionName: "default", applicationID, allocationKey, terminationType };
    this.allocations.call.write({ releases: { allocationsToRelease: [release] } });
  }

  nameOf(allocation) {
    return allocation.allocationKey;
  }
}

async function play(rm, input) {
  await rm.register();
  rm.open();
  rm.addNode("node-1", { vcore: 10_000, memory: 2 ** 30 });
  await rm.wait(rm.nodes, 1);
  rm.forget();
  rm.addApplication("app");
  await rm.wait(rm.accepted, 1);
  console.log("registered, with a node and an application");

  for (let i = 0; i < 3; ++i) rm.ask(`ask-${i}`, "app");
  const placed = await rm.wait(rm.placed, 3);
  check(placed.every((each) => each.nodeID === "node-1"), "asks are placed on the node that there is");
  rm.release(placed[0], "STOPPED_BY_RM");
  const gone = await rm.wait(rm.released, 1);
  check(rm.nameOf(gone[0]) === rm.nameOf(placed[0]), "the release is answered");
  console.log("three asks placed, one released");

  rm.forget();
  rm.addApplication("gang", { placeholderAsk: resource({ vcore: 2000 }), gangSchedulingStyle: "Soft" });
  await rm.wait(rm.accepted, 1);
  for (let i = 0; i < 2; ++i) rm.ask(`placeholder-${i}`, "gang", { taskGroupName: "group", placeholder: true });
  const holders = await rm.wait(rm.placed, 2);
  check(holders.every((each) => each.placeholder), "placeholders are placed");
  rm.ask("real", "gang", { taskGroupName: "group" });
  const [replaced] = await rm.wait(rm.released, 1);
  check(replaced.terminationType === "PLACEHOLDER_REPLACED", "a placeholder makes room");
  rm.release(holders.find((each) => rm.nameOf(each) === rm.nameOf(replaced)), "PLACEHOLDER_REPLACED");
  const [real] = await rm.wait(rm.placed, 1, (each) => each.allocationKey === "real");
  check(!real.placeholder && real.nodeID === "node-1", "the real one takes its place");
  console.log("a gang took its places");

  rm.forget();
  for (const { call } of rm.streams) call.cancel();
  for (const { ended } of rm.streams) check((await ended()).code === grpc.status.CANCELLED, "the streams were cut");
  rm.open();
  rm.ask("after", "app");
  const [after] = await rm.wait(rm.placed, 1, (each) => each.allocationKey === "after");
  check(after.nodeID === "node-1", "an ask is placed after the return");
  console.log("cut, returned, and went on");

  fs.writeFileSync(queues, fs.readFileSync(queues, "utf8").replace("vcore: 20", "vcore: 5"));
  console.log("reload");
  check((await input.next()).value === "reloaded", "the configuration is read again");
  rm.forget();
  rm.ask("too-much", "app");
  rm.ask("waits", "app");
  rm.release(after, "STOPPED_BY_RM");
  const asked = ["too-much", "waits"];
  await rm.wait(rm.placed, 1, (each) => asked.includes(each.allocationKey));
  const runs = asked.filter((key) => rm.keys(rm.placed).has(key));
  check(runs.length === 1, "one ask runs in place of the released one, the other one waits");
  console.log("the new configuration holds");

  rm.removeApplication("app");
  await rm.wait(rm.released, 3, (each) => each.applicationID === "app");
  for (const { call, ended } of rm.streams) {
    call.end();
    check((await ended()).code === grpc.status.OK, "goodbye ends with OK");
  }
  rm.open();
  check((await rm.streams[0].ended()).code === grpc.status.FAILED_PRECONDITION, "it has to register again");
  console.log("goodbye");
}

const first = dialect === "first";
const service = first ? root.si.v1.Scheduler : root.tenon.si.v1later.Scheduler;
const input = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
try {
  await play(new (first ? First : Later)(service, `node-${path.basename(dialect)}`), input);
  process.exit(0);
} catch (error) {
  console.log(error.message);
  process.exit(1);
}
