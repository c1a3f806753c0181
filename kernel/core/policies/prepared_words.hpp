// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Prepared words: what a sort policy makes, once, of the tags of an application or the properties of a queue.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/objects.hpp"
#include "policies/bound_sort_policy.hpp"
#include "tenon/abi/base.h"

namespace tenon::internal {

struct prepared_words {
  std::array<uint64_t, 4> words{};  // zero where the policy refused or failed
  bool refused = false;
  bool failed = false;
  std::string why;  // it is refused, in the policy's words
};

// Names and values, of equal names the first one counts.
class text_pairs {
 public:
  // `from` is a range of (name, value), ascending by name, that outlives this.
  template <class Range>
  explicit text_pairs(const Range &from) {
    for (const auto &[name, value] : from) {
      if (!names_.empty() && std::string_view(names_.back().data, names_.back().length) == name) continue;
      names_.push_back({name.data(), name.size()});
      values_.push_back({value.data(), value.size()});
    }
  }

  [[nodiscard]] const std::vector<tenon_text> &names() const { return names_; }
  [[nodiscard]] const std::vector<tenon_text> &values() const { return values_; }

 private:
  std::vector<tenon_text> names_, values_;
};

// Words of zero where the policy has no `prepare`.
[[nodiscard]] prepared_words prepare(sort_policy &policy, const text_pairs &texts);

// Where it is too late to refuse anything: what is refused has words of zero. Gives the number of those.
uint64_t prepare_items(queue &q);  // its applications or children, by its order
uint64_t prepare_queue(queue &q);  // by its parent's

}  // namespace tenon::internal
