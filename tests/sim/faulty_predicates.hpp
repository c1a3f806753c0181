// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Faulty predicates: those of a policy source, and orders of nodes of canaries, of which now and then a call fails, as
// a module does that is killed.
#pragma once

#include <memory>
#include <optional>

#include "random.hpp"
#include "tenon/kernel/policies.hpp"

namespace tenon::sim {

class faulty_predicates : public policy_source {
 public:
  // `seed`: none, and no call fails.
  faulty_predicates(std::unique_ptr<policy_source> sound, std::optional<uint64_t> seed);

  // Calls fail only while it is armed.
  void set_armed(bool armed) { armed_ = armed; }
  [[nodiscard]] bool fails();

  [[nodiscard]] bool provides(module_kind kind, std::string_view name) const override {
    return sound_->provides(kind, name);
  }
  result<std::unique_ptr<bound_policy>> bind(module_kind kind, std::string_view name, std::string_view configuration,
                                             uint32_t max_resource_types) override;
  std::unique_ptr<bound_policy> fallback(module_kind kind, uint32_t max_resource_types) override {
    return sound_->fallback(kind, max_resource_types);
  }
  result<std::vector<std::unique_ptr<bound_policy>>> predicates(uint32_t max_resource_types) override;

 private:
  std::unique_ptr<policy_source> sound_;
  std::optional<random> chance_;
  bool armed_ = false;
};

}  // namespace tenon::sim
