// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Places an application in the queue of its user's department: the first group that begins as `value` says, without
// that beginning.
#include "tenon/sdk/placement_rule.hpp"

namespace {

using namespace tenon::sdk;

struct department {
  static constexpr std::string_view name = "department";

  explicit department(const config &settings) : prefix_(settings.text("value", "dept-")) {}

  placement place(const submission &app) const {
    for (uint32_t i = 0; i < app.group_count(); ++i) {
      const std::string_view group = app.group(i);
      if (group.starts_with(prefix_)) return below_parent(one_level(group.substr(prefix_.size())));
    }
    return next_rule();
  }

 private:
  std::string prefix_;
};

}  // namespace

TENON_MODULE(placement_rule<department>)
