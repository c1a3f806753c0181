// Copyright The Tenon Authors. SPDX-License-Identifier: Apache-2.0
// A saved state in which one value is another one, as its fields are listed for the journal.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "journal/saved_fields.hpp"
#include "random.hpp"
#include "tenon/kernel/saved_state.hpp"

namespace tenon::sim {

// Visits numbers, texts and lists in their order, and alters the one of the given place.
class alterer {
 public:
  static constexpr bool writes = false;

  alterer(uint64_t place, random &by) : left_(place), random_(by) {}

  template <class T>
  void operator()(uint32_t /*id*/, std::string_view name, T &x) {
    named(name, x);
  }
  template <class T>
  void operator()(uint32_t /*id*/, std::string_view name, T &x, std::type_identity_t<T> /*left_out*/) {
    named(name, x);
  }
  template <class T>
  void note(uint32_t /*id*/, std::string_view name, T &x) {
    named(name, x);
  }
  template <class T>
  void visit(T &x) {
    if constexpr (std::is_enum_v<T>) {
      if (is_here()) x = static_cast<T>(random_.between(0, static_cast<int64_t>(journal::last_of<T>)));
    } else if constexpr (std::is_same_v<T, bool>) {
      if (is_here()) x = !x;
    } else if constexpr (std::is_integral_v<T>) {
      if (is_here()) alter(x);
    } else if constexpr (std::is_same_v<T, double>) {
      const double values[] = {
          0, -1, std::nan(""), INFINITY, -INFINITY, 1e300, std::numeric_limits<double>::denorm_min()};
      if (is_here()) x = values[static_cast<size_t>(random_.between(0, 6))];
    } else if constexpr (journal::is_text<T>) {
      if (is_here()) alter_text(x);
    } else if constexpr (journal::is_vector<T>) {
      if (is_here()) alter_list(x);
      for (auto &element : x) visit(element);
    } else if constexpr (journal::is_map<T>) {
      for (auto &[key, value] : x) visit(value);
    } else {
      journal::fields(*this, x);
    }
  }
  // How many places were visited.
  [[nodiscard]] uint64_t places() const { return places_; }
  [[nodiscard]] const std::string &where() const { return where_; }

 private:
  template <class T>
  void named(std::string_view name, T &x) {
    const bool before = done_;
    visit(x);
    if (done_ && !before) where_ = std::string(name) + (where_.empty() ? "" : "." + where_);
  }
  bool is_here() {
    ++places_;
    if (done_ || left_-- != 0) return false;
    return done_ = true;
  }
  template <class T>
  void alter(T &x) {
    switch (random_.between(0, 5)) {
      case 0:
        x = 0;
        return;
      case 1:
        x = std::numeric_limits<T>::max();
        return;
      case 2:
        x = std::numeric_limits<T>::min();
        return;
      case 3:
        x = static_cast<T>(static_cast<uint64_t>(x) + 1);
        return;
      case 4:
        x = static_cast<T>(static_cast<uint64_t>(x) - 1);
        return;
      default:
        x = static_cast<T>(random_.between(0, 20));
    }
  }
  void alter_text(std::string &x) {
    const char *const values[] = {"",           "root",       "x",   ".",      "tenon/devices/none",
                                  "memory=1@0", "gpu=1@0,63", "9x9", "\xff;=@"};
    x = values[static_cast<size_t>(random_.between(0, 8))];
  }
  template <class T>
  void alter_list(std::vector<T> &x) {
    if (x.empty()) {
      x.emplace_back();
      return;
    }
    const auto at = static_cast<std::ptrdiff_t>(random_.between(0, static_cast<int64_t>(x.size()) - 1));
    switch (random_.between(0, 3)) {
      case 0:
        x.erase(x.begin() + at);
        return;
      case 1:
        x.push_back(T(x[static_cast<size_t>(at)]));
        return;
      case 2:
        std::swap(x.front(), x[static_cast<size_t>(at)]);
        return;
      default:
        x.clear();
    }
  }

  uint64_t left_, places_ = 0;
  bool done_ = false;
  random &random_;
  std::string where_;
};

// Gives the name of the field that is altered.
inline std::string alter(saved_state &s, random &by) {
  alterer count(~uint64_t{0}, by);
  count.visit(s);
  alterer one(static_cast<uint64_t>(by.between(0, static_cast<int64_t>(count.places()) - 1)), by);
  one.visit(s);
  return one.where();
}

}  // namespace tenon::sim
