// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A resource manager with the scheduler in its process: one node on which something runs already, one ask.
#include <cstdio>
#include <string>
#include <tenon/rm/tenon.hpp>

using namespace tenon::rm;

int main() try {
  // Without `manual` it has threads of its own, and needs no steps.
  scheduler scheduler({.manual = true,
                       .queues = "partitions: [ { name: default, queues: [ { name: root, submitacl: '*', "
                                 "queues: [ { name: default } ] } ] } ]"});
  handlers on;
  on.allocated = [](const tenon_rm_allocation &a) {
    std::printf("%s is started on %s\n", std::string(view(a.key)).c_str(), std::string(view(a.node)).c_str());
  };
  on.recovered = [](const tenon_rm_allocation &a) {
    std::printf("%s still runs on %s\n", std::string(view(a.key)).c_str(), std::string(view(a.node)).c_str());
  };
  on.answered = [](const tenon_rm_message &m) { std::printf("answer of type %u\n", m.type); };
  resource_manager manager(scheduler, {.name = "example", .version = "1.0"}, std::move(on));

  auto application = message<tenon_rm_application>(TENON_RM_APPLICATION);
  application.application = text("app-1");
  application.queue = text("root.default");
  application.user = text("alice");
  application.user_present = 1;

  const amounts capacity{{"memory", 64'000'000'000}, {"vcore", 16'000}};
  auto node = message<tenon_rm_node>(TENON_RM_NODE);
  node.node = text("node-1");
  node.action = TENON_NODE_CREATE;
  node.schedulable = capacity.get();

  const amounts wanted{{"memory", 1'000'000'000}, {"vcore", 500}};
  auto running = message<tenon_rm_allocation>(TENON_RM_ALLOCATION);
  running.application = text("app-1");
  running.key = text("ask-0");
  running.node = text("node-1");
  running.resources = wanted.get();

  auto ask = message<tenon_rm_ask>(TENON_RM_ASK);
  ask.application = text("app-1");
  ask.key = text("ask-1");
  ask.resources = wanted.get();
  ask.max_allocations = 1;

  manager.submit({header(application), header(node), header(running), header(ask)});
  for (int64_t now_ms = 1; scheduler.step(now_ms) != 0; ++now_ms) {
  }
  manager.leave();
  return 0;
} catch (const failed &why) {
  std::fprintf(stderr, "%s\n", why.what());
  return 1;
}
