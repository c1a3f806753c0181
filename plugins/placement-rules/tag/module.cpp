// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The queue that a tag names.
#include "tenon/sdk/placement_rule.hpp"

namespace {

using namespace tenon::sdk;

struct tag {
  static constexpr std::string_view name = "tag";

  explicit tag(const config &settings) : tag_(settings.text("value", "")) {
    if (tag_.empty()) config::refuse("value", "the name of a tag");
  }

  placement place(const submission &app) const { return as_written(app.tag(tag_).value_or("")); }

 private:
  const std::string tag_;
};

}  // namespace

TENON_MODULE(placement_rule<tag>)
