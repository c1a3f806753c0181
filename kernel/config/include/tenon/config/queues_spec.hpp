// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What queues.yaml may say: the one description behind its parser, its JSON Schema and its reference page.
#pragma once

#include <span>
#include <string_view>

#include "tenon/config/shape.hpp"

namespace tenon::config {

extern const object_spec queues_file_spec;
extern const object_spec partition_spec;
extern const object_spec queue_spec;
extern const object_spec resources_spec;
extern const object_spec child_template_spec;
extern const object_spec limit_spec;
extern const object_spec placement_rule_spec;
extern const object_spec placement_filter_spec;
extern const object_spec preemption_spec;
extern const object_spec node_sort_spec;
extern const object_spec canary_spec;
extern const object_spec canary_back_spec;
extern const object_spec user_group_resolver_spec;
extern const object_spec reservation_spec;
extern const object_spec timeouts_spec;

// All of them, in the order of a reference.
[[nodiscard]] std::span<const object_spec *const> queues_specs();

// A queue property that the kernel reads. Others are kept and shown, and modules may read them.
struct property_spec {
  enum class value : uint8_t {
    policy,   // name of a policy; unknown ones are reported elsewhere
    choice,   // one of `allowed`, letter case ignored
    choices,  // several of `allowed`, separated by commas
    count,    // digits
    int32,
    delay,  // positive duration
  };
  std::string_view name;
  value kind;
  std::string_view values;  // for people
  std::string_view fallback;
  std::string_view inherited;  // by child queues
  std::string_view summary;
  std::span<const std::string_view> allowed = {};
  bool tenon_only = false;
};

[[nodiscard]] std::span<const property_spec> queue_properties();

}  // namespace tenon::config
