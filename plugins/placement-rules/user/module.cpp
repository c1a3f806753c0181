// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A queue named as the user.
#include "tenon/sdk/placement_rule.hpp"

namespace {

using namespace tenon::sdk;

struct user {
  static constexpr std::string_view name = "user";

  placement place(const submission &app) const { return below_parent(one_level(app.user())); }
};

}  // namespace

TENON_MODULE(placement_rule<user>)
