// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The queue that the application names.
#include "tenon/sdk/placement_rule.hpp"

namespace {

using namespace tenon::sdk;

struct provided {
  static constexpr std::string_view name = "provided";

  placement place(const submission &app) const { return as_written(app.queue()); }
};

}  // namespace

TENON_MODULE(placement_rule<provided>)
