// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// Names in paths: what they may look like, and how they are compared. Queue names differ by more than the case of
// letters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "answer.hpp"
#include "tenon/text/letters.hpp"

namespace tenon::rest {

// All throw refused, with the field's message, where a name cannot be one.
void check_queue_name(std::string_view path);
void check_user_name(std::string_view name);
void check_group_name(std::string_view name);

// Finds the known name that is most like one that is not there: the one that begins and ends with most of the same
// characters, of several the one with the fewest others, and of several of those the first.
class nearest_name {
 public:
  explicit nearest_name(std::string_view wanted) : wanted_(wanted) {}
  void look_at(std::string_view known);
  // 404 with "Queue not found", and "there is no 'root.nope'; did you mean 'root.prod'?" as the description.
  [[nodiscard]] refused not_found(std::string_view object) const;
  [[nodiscard]] std::string nearest() const;
  // True if the nearest name is so near that it was meant.
  [[nodiscard]] bool is_slip() const;
  [[nodiscard]] const std::string &name() const { return nearest_; }

 private:
  std::string_view wanted_;
  std::string nearest_;
  size_t same_ = 0, others_ = 0;
};

}  // namespace tenon::rest
