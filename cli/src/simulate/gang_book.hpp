// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// What the simulated resource manager knows of its gangs: whose placeholders and workers are placed, and what
// it has asked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "load/load.hpp"

namespace tenon::cli {

// How gangs are asked for.
enum class gang_style : uint8_t {
  none,  // worker by worker; a gang that is placed in part holds what it has
  soft,  // with placeholders; when they are not placed in time, each worker runs for itself
  hard,  // with placeholders; when they are not placed in time, the application fails
};

struct gang {
  uint32_t application = 0;  // index
  uint32_t first_ask = 0, size = 0;
  uint32_t placed = 0;        // workers
  uint32_t placeholders = 0;  // allocations of placeholders
  bool started = false;       // all workers were placed at one time
  bool asked = false;         // for the workers themselves
  bool resuming = false;      // the placeholders were not placed in time: it is no gang any more
  bool ended = false;         // refused or failed

  // Placeholders that no worker will replace any more.
  [[nodiscard]] bool has_spare_placeholder() const { return asked && placeholders > size - placed; }
};

class gang_book {
 public:
  gang_book(const load &of, gang_style style);

  // Null: the ask is of no gang.
  [[nodiscard]] gang *of_ask(uint32_t ask);
  // Null: the application is no gang with placeholders.
  [[nodiscard]] gang *of_application(std::string_view id);

  template <class F>
  void for_each(F &&f) const {
    for (const gang &one : gangs_) f(one);
  }

  // Placeholders stand for the asks of gangs, one each. Both empty without placeholders.
  [[nodiscard]] const std::string &placeholder_key(uint32_t ask) const { return keys_[ask]; }
  [[nodiscard]] const uint32_t *ask_of_placeholder(std::string_view key) const;

 private:
  static constexpr uint32_t no_gang = UINT32_MAX;

  std::vector<gang> gangs_;
  std::vector<uint32_t> gang_of_ask_;
  std::unordered_map<std::string_view, uint32_t> gang_of_application_;
  std::vector<std::string> keys_;  // of placeholders, by ask
  std::unordered_map<std::string_view, uint32_t> asks_by_key_;
};

}  // namespace tenon::cli
