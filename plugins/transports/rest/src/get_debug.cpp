// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The whole state at once, and the threads of the process.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "configuration_text.hpp"
#include "handlers.hpp"
#include "objects.hpp"
#include "views.hpp"

namespace tenon::rest {
namespace {

namespace json = boost::json;

answer moved_to(std::string_view where) {
  answer out{301, std::string(text_type), {}, {}};
  out.headers.emplace_back("Location", where);
  return out;
}

std::string first_line(const std::filesystem::path &file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// A body made of parts, so that a large cluster is never there twice as a tree of values.
class pieces {
 public:
  void key(std::string_view name) {
    body_ += body_.size() == 1 ? "" : ",";
    body_ += serialize(json::string(name)) + ":";
  }
  void value(const json::value &v) { body_ += serialize(v); }
  void begin() {
    body_ += '[';
    first_ = true;
  }
  void element(const json::value &v) {
    if (!first_) body_ += ',';
    first_ = false;
    body_ += serialize(v);
  }
  void end() { body_ += ']'; }
  std::string take() { return std::move(body_) + "}\n"; }

 private:
  std::string body_ = "{";
  bool first_ = true;
};

void put_history(pieces &out, const services &use) {
  out.key("appHistory");
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
  out.value(apps);
  out.key("containerHistory");
  out.value(containers);
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
  out.key("rmDiagnostics");
  out.value(rms);
  out.key("config");
  out.value(configuration);
  out.key("placementRules");
  out.value(rules);
}

std::atomic<bool> dumping = false;
struct one_at_a_time {
  one_at_a_time() {
    if (dumping.exchange(true)) throw refused{503, "a state dump is being made, try again"};
  }
  ~one_at_a_time() { dumping = false; }
  one_at_a_time(const one_at_a_time &) = delete;
  one_at_a_time &operator=(const one_at_a_time &) = delete;
};

}  // namespace

answer get_state_dump(const context &c) {
  const one_at_a_time alone;
  const snapshot all(c.use, TENON_READ_ALL);
  const listed<tenon_view_partition> partitions(all->partitions);
  pieces out;
  out.key("timestamp");
  out.value(nanoseconds(all->now_ms));
  out.key("partitions");
  out.begin();
  for (const auto &p : partitions) out.element(partition_json(p));
  out.end();
  out.key("applications");
  out.begin();
  for (const auto &p : partitions) {
    for (const auto *list : {&p.active, &p.ended})
      for (const auto &a : listed<tenon_view_application>(*list)) out.element(application_json(a, view(p.short_name)));
  }
  out.end();
  out.key("nodes");
  out.begin();
  for (const auto &p : partitions) {
    json::array nodes;
    for (const auto &n : listed<tenon_view_node>(p.nodes)) nodes.push_back(node_json(n));
    out.element(json::object{{"partitionName", view(p.short_name)}, {"nodesInfo", std::move(nodes)}});
  }
  out.end();
  out.key("clusterInfo");
  out.begin();
  for (const auto &p : partitions) out.element(cluster_json(*all, p));
  out.end();
  out.key("queues");
  out.begin();
  for (const auto &p : partitions)
    if (p.queues.count != 0) out.element(queue_json(p, 0, true, true));
  out.end();
  put_history(out, c.use);
  put_rms(out, *all);
  out.key("logLevel");
  out.value("info");
  out.key("eventStreams");
  out.value(json::array{});
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

answer move_to_stacks(const context &) { return moved_to("/debug/stack"); }
answer move_to_state_dump(const context &) { return moved_to("/debug/fullstatedump"); }

}  // namespace tenon::rest
