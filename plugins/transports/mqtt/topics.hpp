// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// The topics of RMs. An RM's name is a level of its topics: bytes other than letters, digits, '.', '_' and '-' are
// written as %XX, with capitals. They are UTF-8 together.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tenon::mqtt {

class topics {
 public:
  explicit topics(std::string_view prefix) : prefix_(prefix) {}

  [[nodiscard]] std::string state() const { return prefix_ + "/scheduler"; }
  [[nodiscard]] std::string of_all_rms() const { return prefix_ + "/to-scheduler/+"; }
  [[nodiscard]] std::string to_rm(std::string_view rm) const;
  // Whose topic it is; none: nobody's, or one that is not written as above.
  [[nodiscard]] std::optional<std::string> rm_of(std::string_view topic) const;

 private:
  std::string prefix_;
};

}  // namespace tenon::mqtt
