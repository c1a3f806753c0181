// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Strict YAML with positions: one bounded document as a tree that still knows where everything stood.
//
//   problems report("tenon.yaml");
//   auto root = read_yaml(text, report);                  // syntax, encoding, limits, duplicate keys
//   if (root && check_shape(*root, my_spec, report)) ...  // shape.hpp: unknown keys, types
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/config/problems.hpp"

namespace tenon::config {

// What a text may cost. Beyond any of them it is refused.
struct yaml_limits {
  size_t bytes = size_t{4} << 20;
  uint32_t depth = 120;      // nested lists and maps
  uint32_t nodes = 400'000;  // after aliases are expanded: stops alias bombs
};

// What a plain scalar means by the rules of the field's YAML library (1.2 core schema, and the 1.1 octals,
// binary numbers and underscores that it still reads). Quoted scalars are always text.
enum class scalar_type : uint8_t { null, boolean, integer, floating, text };

struct yaml_entry;

// One value. Aliases are expanded and merge keys ("<<") applied; an alias keeps the positions of its anchor.
struct yaml_node {
  enum class kind : uint8_t { null, scalar, list, map };

  kind what = kind::null;
  bool plain = false;  // scalar: written without quotes and without a !!str tag
  text_position at;
  std::string text;                 // scalar: as written, without quotes
  std::vector<yaml_node> items;     // list
  std::vector<yaml_entry> entries;  // map, in the order of the text, keys unique
  uint32_t size = 1;                // nodes of this subtree

  // The value of `key` in a map; nullptr where it is absent, null, or this is no map.
  [[nodiscard]] const yaml_node *find(std::string_view key) const;
  // The entry of `key`, null value included.
  [[nodiscard]] const yaml_entry *find_entry(std::string_view key) const;

  [[nodiscard]] scalar_type type() const;
  // "a list", "a map", "the text 'x'", "the number 5", ...: for messages.
  [[nodiscard]] std::string describe() const;

  // The scalar as the wanted type by the field's rules, nothing where it has another one.
  [[nodiscard]] std::optional<bool> as_boolean() const;    // true, false; on, off, yes, no, y, n in any usual case
  [[nodiscard]] std::optional<uint64_t> as_count() const;  // integers from 0, floats are truncated
  [[nodiscard]] std::optional<int64_t> as_integer() const;
  [[nodiscard]] std::optional<double> as_number() const;
};

struct yaml_entry {
  yaml_node key;  // a scalar
  yaml_node value;
};

// Reads a text with at most one document that holds something. An empty one gives a null node. Nothing on
// refusal; the reasons are in `report`. Never throws, and takes time linear in the limits.
[[nodiscard]] std::optional<yaml_node> read_yaml(std::string_view text, problems &report, yaml_limits limits = {});

// What a plain scalar of this text means.
[[nodiscard]] scalar_type resolve_scalar(std::string_view text);

}  // namespace tenon::config
