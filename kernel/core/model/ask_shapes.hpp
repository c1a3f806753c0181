// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Ask shapes: in which shapes asks came lately, counted for orders of nodes that look ahead. columns.h has the rules.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/node_table.hpp"
#include "tenon/abi/columns.h"
#include "tenon/kernel/commands.hpp"
#include "tenon/kernel/resources.hpp"
#include "tenon/kernel/saved_state.hpp"

namespace tenon::internal {

// Lists as columns hand them out, with what they point to.
class listed_numbers {
 public:
  listed_numbers() = default;
  explicit listed_numbers(std::vector<int64_t> values);
  listed_numbers(const listed_numbers &) = delete;  // the column points into it
  listed_numbers(listed_numbers &&) = default;
  listed_numbers &operator=(const listed_numbers &) = delete;
  listed_numbers &operator=(listed_numbers &&) = default;
  ~listed_numbers() = default;
  [[nodiscard]] const std::vector<int64_t> &values() const { return values_; }
  [[nodiscard]] const tenon_numbers *column() const { return &column_; }

 private:
  std::vector<int64_t> values_;
  tenon_numbers column_{nullptr, 0};
};

class listed_texts {
 public:
  // An empty text is none.
  explicit listed_texts(std::vector<std::string> values = {});
  listed_texts(const listed_texts &) = delete;  // texts point into it
  listed_texts(listed_texts &&) = default;
  listed_texts &operator=(const listed_texts &) = delete;
  listed_texts &operator=(listed_texts &&) = default;
  ~listed_texts() = default;
  [[nodiscard]] const std::vector<std::string> &values() const { return values_; }
  [[nodiscard]] const tenon_texts *column() const { return &column_; }

 private:
  std::vector<std::string> values_;
  std::vector<tenon_text> texts_;
  tenon_texts column_{nullptr, 0};
};

// What policies see until the next generation begins. Never changes.
struct shape_generation {
  struct node_groups {
    listed_texts values;
    listed_numbers totals;
  };
  listed_numbers counts, amounts;
  std::map<std::string, listed_texts, std::less<>> tags;
  std::map<std::string, node_groups, std::less<>> groups;

  [[nodiscard]] const tenon_texts *tags_of(std::string_view key) const;
  [[nodiscard]] const tenon_texts *values_of(std::string_view key) const;
  [[nodiscard]] const tenon_numbers *totals_of(std::string_view key) const;
};

class ask_shapes {
 public:
  static constexpr uint32_t first_length = 32, longest = 4096;  // of a generation, in asks
  static constexpr size_t most_shapes = 1024;

  ask_shapes() = default;
  explicit ask_shapes(const saved_shapes &from);
  [[nodiscard]] saved_shapes saved() const;

  // Asks are counted from now on, told apart by these tags as well.
  void follow(const std::vector<std::string> &keys);
  [[nodiscard]] bool followed() const { return generation_ != nullptr; }

  // An ask came. True: the next generation is to begin.
  bool count(const resources &need, texts tags, int64_t allocations);
  void begin_generation(node_table &nodes);
  // That any shape has, as a mask.
  [[nodiscard]] uint64_t types() const;
  // Null: nobody follows.
  [[nodiscard]] const shape_generation *generation() const { return generation_.get(); }

 private:
  struct shape {
    std::vector<int64_t> amounts;   // by type, without zeros at the end
    std::vector<std::string> tags;  // by key
    friend auto operator<=>(const shape &, const shape &) = default;
  };
  void halve();

  std::vector<std::string> keys_;
  std::map<shape, int64_t> counts_;
  uint32_t asks_ = 0, length_ = first_length;             // of the generation to come
  std::shared_ptr<const shape_generation> generation_{};  // a copy of the partition has the same one
};

}  // namespace tenon::internal
