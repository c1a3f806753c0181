// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// One kernel's facts to several listeners.
#pragma once

#include <vector>

#include "tenon/kernel/facts.hpp"

namespace tenon::service {

class fact_relay final : public fact_listener {
 public:
  void add(fact_listener *listener) { listeners_.push_back(listener); }
  void take(const fact &what) override {
    for (fact_listener *one : listeners_) one->take(what);
  }
  // What a kernel is given: nothing where nobody listens.
  [[nodiscard]] fact_listener *one() {
    if (listeners_.empty()) return nullptr;
    return listeners_.size() == 1 ? listeners_.front() : this;
  }

 private:
  std::vector<fact_listener *> listeners_;
};

}  // namespace tenon::service
