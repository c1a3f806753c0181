// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>
#include "tenon/builtin/policy_source.hpp"
#include "tenon/kernel/kernel.hpp"
using namespace tenon;
int main(int argc, char **argv) {
  int n_nodes = 1000, n_asks = 50000, queues = 2, apps = 1, unplaceable = 0;
  std::string sort = "fair";
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], "--nodes")) n_nodes = atoi(argv[i + 1]);
    if (!strcmp(argv[i], "--asks")) n_asks = atoi(argv[i + 1]);
    if (!strcmp(argv[i], "--queues")) queues = atoi(argv[i + 1]);
    if (!strcmp(argv[i], "--apps")) apps = atoi(argv[i + 1]);
    if (!strcmp(argv[i], "--unplaceable")) unplaceable = atoi(argv[i + 1]);
    if (!strcmp(argv[i], "--sort")) sort = argv[i + 1];
  }
  builtin_policy_source source;
  kernel k(source);
  cluster_config config;
  partition_config p;
  p.root.name = "root"; p.root.parent = true; p.root.submit_acl = "*";
  p.node_sort.type = sort;
  for (int i = 0; i < queues; ++i) { queue_config q; q.name = "q" + std::to_string(i); q.properties["application.sort.policy"] = "fair"; p.root.queues.push_back(q); }
  config.partitions.push_back(p);
  k.apply(1, register_rm{"rm", "1", "default", &config});
  uint64_t accepted = 0, allocated = 0, other = 0;
  auto take = [&](const decision_view &d) { if (d.kind == decision_kind::allocated) ++allocated; else if (d.kind == decision_kind::application_accepted) ++accepted; else if (d.kind!=decision_kind::application_state && d.kind!=decision_kind::node_accepted && d.kind != decision_kind::rm_registered){ ++other; printf("%s\n", format(d).c_str()); } };
  k.drain(take);
  const int per = (n_asks + n_nodes - 1) / n_nodes;
  std::vector<named_amount> cap{{"vcore", per * 1000}, {"memory", per * int64_t{10} << 20}};
  auto t0 = std::chrono::steady_clock::now();
  for (int i = 0; i < n_nodes; ++i) { std::string id = "node-" + std::to_string(i); add_node c; c.partition = "[rm]default"; c.node = id; c.capacity = cap; k.apply(2, c); k.drain(take); }
  for (int a = 0; a < queues * apps; ++a) { std::string id = "app-" + std::to_string(a), q = "root.q" + std::to_string(a % queues); add_application c; c.partition = "[rm]default"; c.application = id; c.queue = q; c.user = "u"; k.apply(3, c); k.drain(take);}
  auto t1 = std::chrono::steady_clock::now();
  std::vector<named_amount> need{{"vcore", 1000}, {"memory", int64_t{10} << 20}};
  std::vector<named_amount> big{{"vcore", 1000000000}, {"memory", int64_t{10} << 20}};
  for (int i = 0; i < unplaceable; ++i) { std::string id = "app-" + std::to_string(i % (queues * apps)), key = "big-" + std::to_string(i); big[0].amount = int64_t{per} * 1000 + 1000 + i % 100; put_ask c; c.partition = "[rm]default"; c.application = id; c.key = key; c.resources = big; k.apply(4, c); }
  for (int i = 0; i < n_asks; ++i) { std::string id = "app-" + std::to_string(i % (queues * apps)), key = "0123456789012345678901234567-" + std::to_string(i); put_ask c; c.partition = "[rm]default"; c.application = id; c.key = key; c.resources = need; k.apply(4, c); }
  auto t2 = std::chrono::steady_clock::now();
  for (;;) { step s; s.max_decisions = 1000; if (k.apply(5, s) == 0) break; k.drain(take); }
  k.drain(take);
  auto t3 = std::chrono::steady_clock::now();
  auto secs = [](auto a, auto b) { return std::chrono::duration<double>(b - a).count(); };
  printf("nodes %.3fs asks %.3fs (%.0f/s) schedule %.3fs allocated %lu (%.0f/s; with submit %.0f/s) examined %lu nodes %lu other %lu\n", secs(t0, t1), secs(t1, t2), n_asks / secs(t1, t2), secs(t2, t3), allocated, allocated / secs(t2, t3), allocated / secs(t1, t3), k.counters().asks_examined, k.counters().nodes_examined, other);
}
