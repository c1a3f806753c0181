// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "read_state.hpp"

#include <algorithm>

namespace tenon::sim {
namespace {

template <class List, class Name>
void compare(const std::string &what, const List &read, const List &is, Name &&name, std::vector<std::string> &out) {
  if (read.size() != is.size()) {
    out.push_back("frozen: " + std::to_string(read.size()) + ' ' + what + ", not " + std::to_string(is.size()));
    return;
  }
  for (size_t i = 0; i < is.size(); ++i) {
    if (!(read[i] == is[i])) out.push_back("frozen: " + what + ' ' + name(is[i]) + " is another");
  }
}

void compare(const application_snapshot &read, const application_snapshot &is, std::vector<std::string> &out) {
  compare(
      "asks", read.asks, is.asks, [&](const ask_snapshot &a) { return is.id + '/' + a.key + ": " + a.blocker; }, out);
  compare(
      "allocations", read.allocations, is.allocations,
      [&](const allocation_snapshot &a) { return is.id + '/' + a.key; }, out);
  compare(
      "task groups", read.placeholder_data, is.placeholder_data,
      [&](const placeholder_snapshot &g) { return is.id + '/' + g.task_group; }, out);
}

std::vector<std::string> differences(const kernel_snapshot &read, const kernel_snapshot &is) {
  std::vector<std::string> out;
  if (read == is) return out;
  compare(
      "partitions", read.partitions, is.partitions, [](const partition_snapshot &p) { return p.name; }, out);
  for (size_t i = 0; i < std::min(read.partitions.size(), is.partitions.size()); ++i) {
    const partition_snapshot &a = read.partitions[i], &b = is.partitions[i];
    const auto usage_name = [](const usage_snapshot &u) { return u.name + ' ' + u.queue; };
    const auto id = [](const auto &one) { return one.id; };
    compare(
        "queues", a.queues, b.queues, [](const queue_snapshot &q) { return q.path; }, out);
    compare("nodes", a.nodes, b.nodes, id, out);
    compare("applications", a.applications, b.applications, id, out);
    compare("ended applications", a.ended, b.ended, id, out);
    compare("users", a.users, b.users, usage_name, out);
    compare("groups", a.groups, b.groups, usage_name, out);
    for (size_t k = 0; k < std::min(a.applications.size(), b.applications.size()); ++k) {
      if (!(a.applications[k] == b.applications[k])) compare(a.applications[k], b.applications[k], out);
    }
  }
  if (out.empty()) out.push_back("frozen: the time is another");
  return out;
}

}  // namespace

std::vector<std::string> read_state::differences(kernel &k) {
  static constexpr snapshot_part everything = snapshot_part::all | snapshot_part::tags;
  ++turn_;
  if (turn_ % 3 == 0) k.freeze_some(turn_ % 40);
  if (turn_ % 4 != 0 && turn_ % 7 != 0) return {};
  auto now = k.freeze();
  k.forget_frozen();  // all of it is made anew
  kernel_snapshot is = k.snapshot(everything);
  std::vector<std::string> out = sim::differences(now->plain(everything), is);
  if (before_ != nullptr && !(before_->plain(everything) == was_)) {
    out.push_back("frozen: the state of before changed");
    for (std::string &line : sim::differences(before_->plain(everything), was_)) out.push_back("of before: " + line);
  }
  before_ = std::move(now);
  was_ = std::move(is);
  return out;
}

}  // namespace tenon::sim
