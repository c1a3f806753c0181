// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// No source of groups: a user is alone in a group of the same name.
#include "tenon/sdk/identity.hpp"

namespace {

using namespace tenon::sdk;

struct none {
  static constexpr std::string_view name = "none";

  std::vector<std::string> groups(std::string_view user) const { return {std::string(user)}; }
};

}  // namespace

TENON_MODULE(identity<none>)
