// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The whole state at once, and the threads of the process.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "configuration_text.hpp"
#include "handlers.hpp"
#include "json_objects.hpp"
#include "one_at_a_time.hpp"
#include "pretty.hpp"
#include "views.hpp"

namespace tenon::rest {
namespace {

namespace json = boost::json;

std::string first_line(const std::filesystem::path &file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// A body made of parts, so that a large cluster is never there twice as a tree of values. What is empty is left out.
class pieces {
 public:
  void value(std::string_view name, const json::value &v) {
    if ((v.is_array() && v.get_array().empty()) || (v.is_object() && v.get_object().empty())) return;
    key(name);
    append_pretty(body_, v, 1);
  }
  void begin(std::string_view name) {
    list_ = name;
    elements_ = 0;
  }
  void element(const json::value &v) {
    if (elements_++ == 0) {
      key(list_);
      body_ += "[\n    ";
    } else {
      body_ += ",\n    ";
    }
    append_pretty(body_, v, 2);
  }
  void end() { body_ += elements_ == 0 ? "" : "\n  ]"; }
  std::string take() { return std::move(body_) + "\n}\n"; }

 private:
  void key(std::string_view name) {
    body_ += (body_.size() == 1 ? "\n  " : ",\n  ") + serialize(json::string(name)) + ": ";
  }

  std::string body_ = "{";
  std::string_view list_;
  size_t elements_ = 0;
};

void put_history(pieces &out, const services &use) {
  json::array apps, containers;
  if (use.metrics != nullptr) {
    const reading now(use, TENON_METRICS_HISTORY);
    for (const auto &m : listed<tenon_minute>(now->history)) {
      apps.push_back(json::object{{"timestamp", nanoseconds(m.at_ms)},
                                  {"totalApplications", std::to_string(m.running_applications)}});
      containers.push_back(
          json::object{{"timestamp", nanoseconds(m.at_ms)}, {"totalContainers", std::to_string(m.containers)}});
    }
  }
  out.value("appHistory", apps);
  out.value("containerHistory", containers);
}

void put_rms(pieces &out, const tenon_view &all) {
  json::object rms;
  json::array rules;
  json::value configuration = json::object{};
  bool first = true;
  for (const auto &rm : listed<tenon_view_rm>(all.rms)) {
    rms[view(rm.id)] = json::object{{"state", view(rm.state)},
                                    {"version", view(rm.version)},
                                    {"policyGroup", view(rm.policy_group)},
                                    {"buildInfo", json_of(rm.build)}};
    if (first) configuration = configuration_json(view(rm.configuration), view(rm.checksum), {});
    first = false;
    for (const auto &p : listed<tenon_view_partition>(all.partitions)) {
      if (view(p.rm) != view(rm.id)) continue;
      rules.push_back(json::object{{"partition", view(p.short_name)},
                                   {"rules", placement_rules_json(view(rm.configuration), view(p.short_name))}});
    }
  }
  out.value("rmDiagnostics", rms);
  out.value("config", configuration);
  out.value("placementRules", rules);
}

std::atomic<bool> dumping = false;

}  // namespace

answer get_state_dump(const context &c) {
  const one_at_a_time alone(dumping, "a state dump is being made");
  const snapshot all(c.use, TENON_READ_ALL);
  const listed<tenon_view_partition> partitions(all->partitions);
  pieces out;
  out.value("timestamp", nanoseconds(all->now_ms));
  out.begin("partitions");
  for (const auto &p : partitions) out.element(partition_json(p));
  out.end();
  out.begin("applications");
  for (const auto &p : partitions) {
    for (const auto *list : {&p.active, &p.ended})
      for (const auto &a : listed<tenon_view_application>(*list)) out.element(application_json(a, view(p.short_name)));
  }
  out.end();
  out.begin("nodes");
  for (const auto &p : partitions) {
    json::array nodes;
    for (const auto &n : listed<tenon_view_node>(p.nodes)) nodes.push_back(node_json(n, view(p.name)));
    out.element(json::object{{"partitionName", view(p.short_name)}, {"nodesInfo", std::move(nodes)}});
  }
  out.end();
  out.begin("clusterInfo");
  for (const auto &p : partitions) out.element(cluster_json(*all, p));
  out.end();
  out.begin("queues");
  for (const auto &p : partitions)
    if (p.queues.count != 0) out.element(queue_json(p, 0, true, true));
  out.end();
  put_history(out, c.use);
  put_rms(out, *all);
  out.value("logLevel", "info");
  return {200, std::string(json_type), out.take(), {}};
}

answer get_stacks(const context &) {
  std::string out;
  std::error_code problem;
  for (const auto &entry : std::filesystem::directory_iterator("/proc/self/task", problem)) {
    const std::string thread = entry.path().filename().string();
    const std::string stat = first_line(entry.path() / "stat");
    const size_t end = stat.rfind(')');
    out += "thread " + thread + " \"" + first_line(entry.path() / "comm") + "\": state " +
           (end != std::string::npos && end + 2 < stat.size() ? stat.substr(end + 2, 1) : "?") + ", waits in " +
           first_line(entry.path() / "wchan") + "\n";
  }
  return {200, std::string(text_type), out, {}};
}

answer move_to_stacks(const context &c) { return moved_to(301, "/debug/stack", c.asked); }
answer move_to_state_dump(const context &c) { return moved_to(301, "/debug/fullstatedump", c.asked); }

}  // namespace tenon::rest
