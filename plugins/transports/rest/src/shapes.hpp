// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The shapes of answers: their keys and types, for the OpenAPI document, for the parameter `fields` and for tests.
#pragma once

#include <span>
#include <string_view>

namespace tenon::rest {

// Of a key: what stands there. `of` names the shape of object, list and map values where they have one.
enum class kind { text, integer, number, flag, texts, amounts, text_map, object, list, any };

struct key_shape {
  std::string_view key;
  kind is = kind::text;
  std::string_view of = {};
  bool always = false;  // also where the value is zero
};

struct shape {
  std::string_view name;
  std::string_view meaning;
  std::span<const key_shape> keys;
};

[[nodiscard]] std::span<const shape> all_shapes();
[[nodiscard]] const shape *find_shape(std::string_view name);

}  // namespace tenon::rest
