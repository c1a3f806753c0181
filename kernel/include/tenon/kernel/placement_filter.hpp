// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Whom a placement rule is for: the filter of a rule, ready to be asked.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenon/kernel/name_pattern.hpp"
#include "tenon/kernel/queue_config.hpp"
#include "tenon/kernel/refusal.hpp"

namespace tenon {

// An entry is an expression rather than a name when it has one of ^ $ * + ? ( ) [ { } |
[[nodiscard]] bool looks_like_expression(std::string_view entry);

class placement_filter {
 public:
  // A filter that lets everybody through.
  placement_filter() = default;

  // Each list, users and groups: one entry is an expression where it looks like one, else a name; of several
  // entries those that are names count and the others are ignored. A single entry that is neither is kept as
  // a list that nobody is in. Refused where an expression does not compile; `where` is the caller's to fill.
  [[nodiscard]] static result<placement_filter> compile(const placement_filter_config &config);

  // Without lists the filter's type decides. Else a user, or one of its groups, that is listed gets what the
  // type says, and everybody else the opposite.
  [[nodiscard]] bool accepts(std::string_view user, std::span<const std::string> groups) const;
  [[nodiscard]] bool accepts(std::string_view user, std::span<const std::string_view> groups) const;

 private:
  struct listed {
    std::vector<std::string> names;  // sorted
    std::optional<name_pattern> pattern;
    [[nodiscard]] bool has(std::string_view name) const;
  };
  [[nodiscard]] static result<listed> compile_list(const std::vector<std::string> &entries,
                                                   bool (*is_name)(std::string_view));
  template <class Groups>
  [[nodiscard]] bool decide(std::string_view user, const Groups &groups) const;

  bool allow_ = true;
  bool empty_ = true;
  listed users_;
  listed groups_;
};

}  // namespace tenon
