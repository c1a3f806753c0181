// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Tables that describe a YAML format. One table drives the check of a text, its JSON Schema and its reference
// page, so that they cannot disagree.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "tenon/config/yaml.hpp"

namespace tenon::config {

struct object_spec;

enum class value_kind : uint8_t {
  text,  // any scalar
  boolean,
  count,     // integer from 0
  integer,   // int32
  number,    // finite float
  duration,  // Go duration text, "30s"
  text_list,
  text_map,      // text -> text
  quantity_map,  // resource type -> quantity
  number_map,    // text -> finite float
  integer_map,   // text -> int32
  object,        // `object`
  object_list,   // list of `object`
  any,           // anything; checked by somebody else (a module's configuration)
};

struct key_spec {
  std::string_view key;
  value_kind kind;
  std::string_view summary;                        // one sentence for the reference and the schema
  std::string_view fallback = {};                  // what holds when the key is absent, for the reference
  const object_spec *object = nullptr;             // kinds object and object_list
  std::span<const std::string_view> allowed = {};  // kind text: the only values that are accepted, empty: any
  bool required = false;
  std::string_view pattern = {};  // kind text: ECMA regular expression for the schema; checked elsewhere
  bool tenon_only = false;        // the field's own systems do not know this key
  int32_t least = std::numeric_limits<int32_t>::min();  // kind integer
  int32_t most = std::numeric_limits<int32_t>::max();
  bool commas = false;  // kind text: commas separate several words
};

struct object_spec {
  std::string_view name;  // of its definition in the schema, "queue"
  std::string_view summary;
  std::span<const key_spec> keys;
  bool takes_own = false;  // keys that begin with "x-", which are its owner's
};

// Refuses, at their place, unknown keys (with the nearest known one), values of a wrong type, missing required
// keys and words that are not allowed, everywhere below `node`. A null value is an absent one. True when
// nothing was refused.
bool check_shape(const yaml_node &node, const object_spec &spec, problems &report);

// "30" as a duration: what to write where the unit is missing. Empty for any other text.
[[nodiscard]] std::string with_unit(std::string_view text);

// Typed reading after check_shape has passed: absent and null give the fallback.
[[nodiscard]] std::string text_of(const yaml_node &map, std::string_view key, std::string_view fallback = {});
[[nodiscard]] bool boolean_of(const yaml_node &map, std::string_view key, bool fallback);
[[nodiscard]] uint64_t count_of(const yaml_node &map, std::string_view key, uint64_t fallback);
[[nodiscard]] double number_of(const yaml_node &map, std::string_view key, double fallback);
[[nodiscard]] int64_t duration_ms_of(const yaml_node &map, std::string_view key, int64_t fallback_ms);
[[nodiscard]] std::vector<std::string> texts_of(const yaml_node &map, std::string_view key);

}  // namespace tenon::config
