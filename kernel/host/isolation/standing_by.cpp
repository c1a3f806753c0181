// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
#include "isolation/standing_by.hpp"

#include <algorithm>
#include <utility>

namespace tenon::host::isolation {

standing_by::~standing_by() {
  for (const auto &one : instances_) one->end();
}

void standing_by::add(std::unique_ptr<isolated_instance> instance) {
  const std::scoped_lock lock(mutex_);
  instances_.push_back(std::move(instance));
}

std::unique_ptr<isolated_instance> standing_by::take(const std::string &request) {
  const std::scoped_lock lock(mutex_);
  const auto found =
      std::find_if(instances_.begin(), instances_.end(), [&](const auto &one) { return one->request() == request; });
  if (found == instances_.end()) return nullptr;
  std::unique_ptr<isolated_instance> out = std::move(*found);
  instances_.erase(found);
  return out;
}

}  // namespace tenon::host::isolation
