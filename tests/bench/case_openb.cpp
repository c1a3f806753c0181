// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "cases.hpp"
#include "counted.hpp"
#include "trace/openb.hpp"
#include "trace/trace_file.hpp"

namespace tenon::bench {
namespace {

std::string text_of(const std::string &path) {
  auto read = cli::read_trace_file(path);
  if (!read) throw std::runtime_error(read.why().text());
  return std::move(*read);
}

}  // namespace

figures run_openb(const settings &s) {
  const size_t comma = s.trace.find(',');
  if (comma == std::string::npos) throw std::runtime_error("openb wants --trace NODES.csv,PODS.csv");
  const std::string nodes_path = s.trace.substr(0, comma), pods_path = s.trace.substr(comma + 1);
  const std::string nodes_text = text_of(nodes_path), pods_text = text_of(pods_path);
  auto read = cli::read_openb({nodes_path, nodes_text}, {pods_path, pods_text},
                              s.devices ? cli::gpu_model::device : cli::gpu_model::sum);
  if (!read) throw std::runtime_error(read.why().text());
  cluster_config config = cli::default_config(*read);
  config.partitions[0].node_sort.type = s.node_sort;
  const auto policies = make_policies(s);
  kernel k(*policies);
  uint64_t allocated = 0;
  const auto deliver = [&] {
    k.drain([&](const decision_view &d) { allocated += d.kind() == decision_kind::allocated ? 1 : 0; });
  };
  register_rm r;
  r.rm = "rm";
  r.config = &config;
  k.apply(1, r);
  for (const cli::load_node &n : read->nodes) {
    std::vector<named_amount> capacity;
    for (const auto &[type, amount] : n.capacity) capacity.push_back({type, amount});
    std::vector<named_text> attributes;
    for (const auto &[key, value] : n.attributes) attributes.push_back({key, value});
    add_node c;
    c.partition = "[rm]default";
    c.node = n.id;
    c.capacity = capacity;
    c.attributes = attributes;
    k.apply(1, c);
  }
  for (const cli::load_application &a : read->applications) {
    add_application c;
    c.partition = "[rm]default";
    c.application = a.id;
    c.queue = a.queue;
    c.user = a.user;
    k.apply(1, c);
  }
  deliver();
  figures out;
  counted fill("fill");
  const stopwatch watch;
  for (const cli::load_ask &a : read->asks) {
    const cli::load_shape &shape = read->shapes[a.shape];
    std::vector<named_amount> need;
    for (const auto &[type, amount] : shape.resources) need.push_back({type, amount});
    std::vector<named_text> tags;
    for (const auto &[key, value] : shape.tags) tags.push_back({key, value});
    put_ask c;
    c.partition = "[rm]default";
    c.application = read->applications[a.application].id;
    c.key = a.key;
    c.resources = need;
    c.tags = tags;
    k.apply(1, c);
  }
  step s_all;
  s_all.max_decisions = 1'000;
  while (k.apply(1, s_all) != 0) deliver();
  deliver();
  fill.done(out, static_cast<double>(allocated));
  out["fill_ms"] = watch.seconds() * 1e3;
  out["placed"] = static_cast<double>(allocated);
  out["allocations_per_second"] = static_cast<double>(allocated) / watch.seconds();
  return out;
}

}  // namespace tenon::bench
