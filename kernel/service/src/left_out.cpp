// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "left_out.hpp"

#include <algorithm>

namespace tenon::service {
namespace {

constexpr size_t most_named = 5;

template <class Named>
const Named *find(const std::vector<Named> &in, const std::string &name) {
  const auto found = std::find_if(in.begin(), in.end(), [&](const Named &one) { return one.name == name; });
  return found == in.end() ? nullptr : &*found;
}

void compare(const queue_config &before, const queue_config &now, const std::string &path,
             std::vector<std::string> &out) {
  for (const queue_config &child : before.queues) {
    const std::string below = path + "." + child.name;
    if (const queue_config *same = find(now.queues, child.name))
      compare(child, *same, below, out);
    else
      out.push_back(below);
  }
}

std::string listed(const std::vector<std::string> &paths) {
  std::string out;
  for (size_t i = 0; i < std::min(paths.size(), most_named); ++i) out += (i == 0 ? "" : ", ") + paths[i];
  if (paths.size() > most_named) out += " and " + std::to_string(paths.size() - most_named) + " more";
  return out;
}

}  // namespace

std::vector<std::string> left_out(const cluster_config &before, const cluster_config &now) {
  constexpr const char *meaning = ": what is there goes on, nothing new comes in, and it is removed once it is empty";
  std::vector<std::string> out;
  for (const partition_config &partition : before.partitions) {
    const partition_config *same = find(now.partitions, partition.name);
    std::vector<std::string> paths;
    if (same != nullptr) compare(partition.root, same->root, "root", paths);
    if (same == nullptr)
      out.push_back("leaves out partition " + partition.name + meaning);
    else if (!paths.empty())
      out.push_back("leaves out " + listed(paths) + " of partition " + partition.name + meaning);
  }
  return out;
}

}  // namespace tenon::service
